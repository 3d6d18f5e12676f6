"""Options of masked language models."""

from dataclasses import dataclass

from zoo.options import option
from zoo.tasks.options.common import (
    MaskedTextSettings,
    PassageTraining,
    TaskSettings,
)
from zoo.tasks.options.table_columns import DATA, TableOptions, TextColumn
from zoo.training.options import TrainingOptions, learning_rate


@dataclass(kw_only=True)
class Settings(MaskedTextSettings, TaskSettings, TextColumn, TableOptions):
    """Settings of a masked language model."""

    model: str = "bert"
    whole_words: bool = option(
        False, "Whole word masking: mask all tokens of a word together.", group=DATA
    )


@dataclass(kw_only=True)
class Training(PassageTraining, TrainingOptions):
    """Training options of a masked language model."""

    learning_rate: float | None = learning_rate("0.0005")
