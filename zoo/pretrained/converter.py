"""The parts of a converter between checkpoints and tasks."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from zoo.errors import UserError
from zoo.preprocessing.text import TEXT
from zoo.pretrained.checkpoint import Checkpoint
from zoo.tasks.task import Pretrained
from zoo.tasks.text import TextTask
from zoo.text.tokenizer import Tokenizer

# Inputs for the verification of what is exported.
EXAMPLES = {TEXT: ["A man in a red hat.", "to be, or not to be", "It's 5 o'clock!"]}


T = TypeVar("T", bound=TextTask)
K = TypeVar("K", bound=Tokenizer)


@dataclass(frozen=True)
class CheckpointFiles:
    """The contents of a checkpoint to be written.

    Args:
        config: Content of `config.json`.
        tensors: Tensors by name.
        files: Contents of further files by name: text, or what is written as JSON.
    """

    config: dict[str, Any]
    tensors: dict[str, np.ndarray]
    files: dict[str, str | dict[str, Any] | list[Any]]


@dataclass(frozen=True)
class Converter:
    """Converts between the checkpoints of a Hugging Face model and tasks with a model of the zoo.

    Args:
        model: Name of the model in the zoo.
        architectures: Name of the default task for each name in a `config.json`'s `architectures`.
        settings: Reads from a checkpoint the options of the model; `max_sequence_length` is the
            number of its positions.
        make: By name of the task, a function that creates it from a checkpoint and settings.
        write: By name of the task, a function from the task to the files of a checkpoint.
    """

    model: str
    architectures: Mapping[str, str]
    settings: Callable[[Checkpoint], dict[str, Any]]
    make: Mapping[str, Callable[[Checkpoint, dict[str, Any]], TextTask]]
    write: Mapping[str, Callable[[Any], CheckpointFiles]]


def check_supported(checkpoint: Checkpoint, supported: Mapping[str, Any]) -> None:
    """Refuses a checkpoint whose `config.json` asks for what the model of the zoo does not have.

    Args:
        checkpoint: The checkpoint.
        supported: The only supported value of some keys, which a missing key stands for as well.

    Raises:
        UserError: If a key has another value.
    """
    for key, value in supported.items():
        found = checkpoint.config.get(key, value)
        if found != value:
            raise UserError(f"{key} = {found} is not supported; only {value}")


def with_weights(task: T, tokenizer: Tokenizer, load: Callable[[Any], None]) -> T:
    """The task with the tokenizer and the weights of a checkpoint; `fit` starts from them.

    Args:
        task: A new task.
        tokenizer: The tokenizer of the checkpoint.
        load: Loads the weights of the checkpoint into a model.
    """
    task.examples = {name: list(texts) for name, texts in EXAMPLES.items()}
    task.use_tokenizer(tokenizer)
    load(task.model)
    task.pretrained = Pretrained(tokenizer, load)
    return task


def check_tokenizer(tokenizer: Any, kind: type[K], model: str) -> K:
    """The tokenizer of a task that is written as a checkpoint.

    Args:
        tokenizer: The tokenizer.
        kind: The class of tokenizer that such checkpoints have.
        model: What the checkpoint is called in the error message.

    Raises:
        UserError: If the tokenizer is of another class.
    """
    if not isinstance(tokenizer, kind):
        raise UserError(
            f"a {model} checkpoint needs a {kind.kind} tokenizer; this task has a "
            f"{tokenizer.kind} tokenizer"
        )
    return tokenizer
