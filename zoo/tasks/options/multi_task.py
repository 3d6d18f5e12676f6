"""Options of several tasks with one encoder."""

from dataclasses import dataclass
from typing import Any

from zoo.options import option
from zoo.tasks.options.common import (
    DATA,
    TEXT,
    ClassifierTraining,
    TextSettings,
)


@dataclass(kw_only=True)
class Settings(TextSettings):
    """Settings of several tasks with one encoder."""

    model: str = "bert"
    max_length: int = option(
        128, "Maximum number of tokens of a text; longer texts are truncated.", minimum=2,
        group=TEXT,
    )  # fmt: skip
    labels: dict[str, Any] = option({}, "Labels in class order, by name of the task.", group=DATA)
    pairs: dict[str, Any] = option(
        {}, "Whether each row has two texts, by name of the task.", group=DATA
    )


@dataclass(kw_only=True)
class Training(ClassifierTraining):
    """Training options of several tasks with one encoder."""

    weights: dict[str, Any] = option(
        {}, "Factor of each task's loss, by name; default 1.", group=DATA
    )
    sampling: float = option(
        1.0,
        "How often each task has its turn: 1, in proportion to its batches; 0, all equally often.",
        minimum=0,
        group=DATA,
    )
