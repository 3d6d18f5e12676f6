"""Options of text embedding."""

from dataclasses import dataclass

from zoo.options import option
from zoo.tasks.options.common import (
    MODEL,
    LengthSettings,
    TaskSettings,
    TextSettings,
)
from zoo.tasks.options.table_columns import PairColumns, ScoreColumn, TableOptions
from zoo.training.options import (
    OPTIMIZATION,
    TrainingOptions,
    at_least,
    early_stopping,
    epochs,
    learning_rate,
)

POOLINGS = ("mean", "cls")
STEPS = 400  # minimum number of training steps if the number of epochs is not given


@dataclass(kw_only=True)
class Settings(LengthSettings, TextSettings, TaskSettings, ScoreColumn, PairColumns, TableOptions):
    """Settings of a text embedder."""

    model: str = "bert"
    pooling: str = option(
        "mean", "Pooling: the mean of all tokens, or cls, the first token.", choices=POOLINGS,
        group=MODEL,
    )  # fmt: skip
    normalize: bool = option(True, "Scale vectors to unit length.", group=MODEL)


@dataclass(kw_only=True)
class Training(TrainingOptions):
    """Training options of a text embedder."""

    epochs: int | None = epochs(at_least(STEPS))
    patience: int | None = early_stopping()
    learning_rate: float | None = learning_rate("0.001, or 0.00002 with a pretrained model")
    batch_tokens: int = option(
        4096,
        "Batch size in tokens, including padding; larger batches have more in-batch negatives.",
        minimum=1,
        group=OPTIMIZATION,
    )
