"""Options of text-to-text."""

from dataclasses import dataclass

from zoo.options import option
from zoo.tasks.options.common import (
    TEXT,
    TextSettings,
)
from zoo.training.options import OPTIMIZATION, SCHEDULES, TrainingOptions


@dataclass(kw_only=True)
class Settings(TextSettings):
    """Settings of a text-to-text task."""

    model: str = "transformer"
    max_source_length: int = option(
        128, "Maximum number of source tokens; longer texts are truncated.", minimum=2, group=TEXT
    )
    max_target_length: int = option(
        128,
        "Maximum number of target tokens; longer texts are truncated. Also the maximum that is "
        "generated.",
        minimum=2,
        group=TEXT,
    )


@dataclass(kw_only=True)
class Training(TrainingOptions):
    """Training options of a text-to-text task."""

    schedule: str = option(
        "noam", "Learning rate decay after warm-up.", choices=SCHEDULES, group=OPTIMIZATION
    )
    batch_tokens: int = option(
        4096,
        "Tokens in a batch, padding included, on the longer side.",
        minimum=1,
        group=OPTIMIZATION,
    )
    label_smoothing: float = option(0.1, "Label smoothing.", minimum=0, below=1, group=OPTIMIZATION)
