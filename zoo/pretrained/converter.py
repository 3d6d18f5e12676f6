"""The parts of a converter between checkpoints and tasks."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from keras_attn.articles import with_article
from zoo.errors import UserError
from zoo.preprocessing.text import TEXT
from zoo.pretrained.checkpoint import Checkpoint
from zoo.tasks.learning import use_tokenizer
from zoo.tasks.parts import Pretrained
from zoo.tasks.task import Task
from zoo.text.tokenizer import Tokenizer

# Raw inputs for the verification of exported artifacts.
EXAMPLES = {TEXT: ["A man in a red hat.", "to be, or not to be", "It's 5 o'clock!"]}


T = TypeVar("T", bound=Task)
K = TypeVar("K", bound=Tokenizer)


@dataclass(frozen=True)
class CheckpointFiles:
    """The contents of a checkpoint to be written.

    Args:
        config: Contents of `config.json`.
        tensors: Tensors by name.
        files: Contents of further files by name: a string, or an object to write as JSON.
    """

    config: dict[str, Any]
    tensors: dict[str, np.ndarray]
    files: dict[str, str | dict[str, Any] | list[Any]]


@dataclass(frozen=True)
class Converter:
    """Converts between the checkpoints of a Hugging Face model and tasks with a model of the zoo.

    Args:
        model: Name of the model in the zoo.
        architectures: Dictionary from the names that `architectures` in a `config.json` may have to
            the name of the default task.
        settings: Function that reads the options of the model from a checkpoint, including
            `max_sequence_length`, the number of positions, and, if it is less, `usual_length`, what
            the task reads by default.
        make: Dictionary from the name of a task to a function that creates the task from a
            checkpoint and settings.
        write: Dictionary from the name of a task to a function from the task to the files of a
            checkpoint.
        default_task: Function that tells the default task of a checkpoint whose architecture leaves
            it open, or None if none does.
        fits: Function that tells whether a task with the model can be one of these checkpoints, if
            several converters have the same model.
    """

    model: str
    architectures: Mapping[str, str]
    settings: Callable[[Checkpoint], dict[str, Any]]
    make: Mapping[str, Callable[[Checkpoint, dict[str, Any]], Task]]
    write: Mapping[str, Callable[[Any], CheckpointFiles]]
    default_task: Callable[[Checkpoint], str] | None = None
    fits: Callable[[Task], bool] = lambda task: True

    def task_of(self, checkpoint: Checkpoint) -> str:
        """The name of the default task of a checkpoint."""
        usual = self.architectures[checkpoint.architecture]
        return usual if self.default_task is None else self.default_task(checkpoint)


def check_supported(checkpoint: Checkpoint, supported: Mapping[str, Any]) -> None:
    """Refuses a checkpoint whose `config.json` the model of the zoo does not support.

    Args:
        checkpoint: The checkpoint.
        supported: The only supported value of each key, which is also the default of the key.

    Raises:
        UserError: If a key has another value.
    """
    for key, value in supported.items():
        configured = checkpoint.config.get(key, value)
        if configured != value:
            raise UserError(f"{key} = {configured} is not supported; expected {value}")


def with_weights(task: T, tokenizer: Tokenizer, load: Callable[[Any], None]) -> T:
    """Gives a task the tokenizer and the weights of a checkpoint, and returns the task.

    Args:
        task: A new task.
        tokenizer: The tokenizer of the checkpoint.
        load: Function that loads the weights of the checkpoint into a model.
    """
    task.examples = {name: list(texts) for name, texts in EXAMPLES.items()}
    use_tokenizer(task, tokenizer)
    load(task.model)
    task.pretrained = Pretrained(tokenizer, load)
    return task


def check_tokenizer(tokenizer: Any, kind: type[K], model: str) -> K:
    """Checks that a tokenizer has the class that a checkpoint requires, and returns it.

    Args:
        tokenizer: The tokenizer.
        kind: The required class.
        model: Name of the model, for the error message.

    Raises:
        UserError: If the tokenizer has another class.
    """
    if not isinstance(tokenizer, kind):
        raise UserError(
            f"{with_article(model)} checkpoint requires {with_article(kind.kind)} tokenizer; this "
            f"task has {with_article(tokenizer.kind)} tokenizer"
        )
    return tokenizer
