"""What reading and writing the checkpoints of a family of models takes."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from zoo.pretrained.checkpoint import Checkpoint
from zoo.tasks.task import Task

EXAMPLES = ["A man in a red hat.", "to be, or not to be", "It's 5 o'clock!"]  # for verification


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
