"""What reading and writing the checkpoints of a family of models takes."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from zoo.errors import UserError
from zoo.pretrained.checkpoint import Checkpoint
from zoo.tasks.task import Start, Task
from zoo.text.tokenizer import Tokenizer

EXAMPLES = ["A man in a red hat.", "to be, or not to be", "It's 5 o'clock!"]  # for verification


T = TypeVar("T", bound=Task)
K = TypeVar("K", bound=Tokenizer)


@dataclass(frozen=True)
class Written:
    """What a task is as a checkpoint.

    Args:
        config: `config.json`.
        tensors: By name.
        files: Further files by name: text, lines of text, or what becomes JSON.
    """

    config: dict[str, Any]
    tensors: dict[str, np.ndarray]
    files: dict[str, str | dict[str, Any] | list[Any]]


@dataclass(frozen=True)
class Family:
    """The models of one paper, as Hugging Face has them and as the zoo has them.

    Args:
        model: The model's name in the zoo.
        architectures: Name in a `config.json` -> name of the task that it is for.
        settings: What a checkpoint says of every task made of it: the options of the model, and
            as `max_length` the most tokens that it can see.
        make: Name of a task -> what makes it of a checkpoint, with settings.
        write: Name of a task -> what makes a checkpoint of it.
    """

    model: str
    architectures: Mapping[str, str]
    settings: Callable[[Checkpoint], dict[str, Any]]
    make: Mapping[str, Callable[[Checkpoint, dict[str, Any]], Task]]
    write: Mapping[str, Callable[[Any], Written]]


def refuse(checkpoint: Checkpoint, refused: Mapping[str, Any]) -> None:
    """Looks for what the family's models here have not.

    Args:
        checkpoint: The checkpoint.
        refused: Key of a `config.json` -> what it says where it asks for nothing of the kind.

    Raises:
        UserError: If it says anything else.
    """
    for key, plain in refused.items():
        found = checkpoint.config.get(key, plain)
        if found != plain:
            raise UserError(f"{key} = {found} is not supported; only {plain}")


def begun(task: T, tokenizer: Tokenizer, load: Callable[[Any], None]) -> T:
    """The task with a checkpoint's vocabulary and weights, which `fit` begins with too.

    Args:
        task: A new task.
        tokenizer: The checkpoint's.
        load: Gives a model the checkpoint's weights.
    """
    task.examples = list(EXAMPLES)
    task._use(tokenizer)
    load(task.model)
    task.start = Start(tokenizer, load)
    return task


def of_kind(tokenizer: Any, kind: type[K], family: str) -> K:
    """The tokenizer, if a family's checkpoints have such.

    Raises:
        UserError: If it is of another kind.
    """
    if not isinstance(tokenizer, kind):
        raise UserError(
            f"a {family} checkpoint has a tokenizer of the kind {kind.kind}; that of this task is "
            f"of the kind {tokenizer.kind}"
        )
    return tokenizer
