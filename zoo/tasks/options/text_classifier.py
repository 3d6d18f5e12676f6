"""Options of text classification."""

from dataclasses import dataclass

from zoo.options import option
from zoo.tasks.options.common import (
    DATA,
    TEXT,
    ClassifierTraining,
    TextSettings,
)


@dataclass(kw_only=True)
class Settings(TextSettings):
    """Settings of a text classifier."""

    model: str = "rnn_classifier"
    max_length: int = option(
        128, "Maximum number of tokens of a text; longer texts are truncated.", minimum=2,
        group=TEXT,
    )  # fmt: skip
    labels: list[str] | None = option(
        None, "Labels in class order. Default: those of the training data, sorted.", group=DATA
    )
    pairs: bool | None = option(
        None, "Whether the inputs are pairs of texts. Default: as in the training data.", group=DATA
    )


Training = ClassifierTraining
