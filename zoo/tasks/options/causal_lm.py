"""Options of language models."""

from dataclasses import dataclass

from zoo.options import option
from zoo.tasks.options.common import (
    TEXT,
    TOKENIZERS,
    TextSettings,
)
from zoo.training.options import OPTIMIZATION, TrainingOptions


@dataclass(kw_only=True)
class Settings(TextSettings):
    """Settings of a language model."""

    model: str = "gpt"
    tokenizer: str = option(
        "bytes", f"Tokenizer to train: {', '.join(TOKENIZERS)}; only bytes keep line ends.",
        group=TEXT,
    )  # fmt: skip
    max_length: int = option(
        256,
        "Number of tokens of a training window; also the maximum that a model with learned "
        "positions reads and generates together.",
        minimum=2,
        group=TEXT,
    )
    max_new_tokens: int = option(
        64, "Maximum number of tokens to generate where none is given.", minimum=1, group=TEXT
    )


@dataclass(kw_only=True)
class Training(TrainingOptions):
    """Training options of a language model."""

    batch_size: int | None = option(
        None,
        "Windows in a batch; default 32, or the stateful_batch_size of the model.",
        minimum=1,
        group=OPTIMIZATION,
    )
