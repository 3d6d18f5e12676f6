"""Options of token tagging."""

from dataclasses import dataclass

from zoo.options import option
from zoo.tasks.options.columns import DATA
from zoo.tasks.options.common import (
    TEXT,
    ClassifierTraining,
    TextSettings,
    WordVectorSettings,
)


@dataclass(kw_only=True)
class Settings(TextSettings, WordVectorSettings):
    """Settings of a token tagger."""

    model: str = "bert"
    max_length: int = option(
        128,
        "Maximum input length of the model in tokens; longer sentences are split.",
        minimum=3,
        group=TEXT,
    )
    labels: list[str] | None = option(
        None, "Tags in class order. Default: those of the training data, sorted.", group=DATA
    )


Training = ClassifierTraining
