"""Options of text classification."""

from dataclasses import dataclass

from zoo.options import option
from zoo.tasks.options.columns import DATA, LabeledColumns
from zoo.tasks.options.common import (
    ClassifierTraining,
    EncoderSettings,
)


@dataclass(kw_only=True)
class Settings(EncoderSettings, LabeledColumns):
    """Settings of a text classifier."""

    model: str = "rnn_classifier"
    labels: list[str] | None = option(
        None, "Labels in class order. Default: those of the training data, sorted.", group=DATA
    )
    pairs: bool | None = option(
        None, "Whether the inputs are pairs of texts. Default: as in the training data.", group=DATA
    )


Training = ClassifierTraining
