"""Options of masked language models."""

from dataclasses import dataclass

from zoo.options import option
from zoo.tasks.options.common import (
    MaskedTextSettings,
    PassageTraining,
)
from zoo.tasks.options.table_columns import DATA
from zoo.training.options import learning_rate


@dataclass(kw_only=True)
class Settings(MaskedTextSettings):
    """Settings of a masked language model."""

    model: str = "bert"
    whole_words: bool = option(
        False, "Whole word masking: mask all tokens of a word together.", group=DATA
    )


@dataclass(kw_only=True)
class Training(PassageTraining):
    """Training options of a masked language model."""

    learning_rate: float | None = learning_rate("0.0005")
