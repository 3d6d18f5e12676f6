"""Options of masked language models."""

from dataclasses import dataclass

from zoo.options import option
from zoo.tasks.options.common import (
    DATA,
    MaskedTextSettings,
    PassageTraining,
)


@dataclass(kw_only=True)
class Settings(MaskedTextSettings):
    """Settings of a masked language model."""

    model: str = "bert"
    whole_words: bool = option(
        False, "Whole word masking: mask all tokens of a word together.", group=DATA
    )


Training = PassageTraining
