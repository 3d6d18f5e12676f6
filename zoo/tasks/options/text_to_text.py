"""Options of text-to-text."""

from dataclasses import dataclass

from zoo.options import option
from zoo.tasks.options.common import (
    CASED_WORDS,
    TEXT,
    TOKENIZERS,
    TaskSettings,
    TextSettings,
    WordVectorSettings,
)
from zoo.tasks.options.table_columns import PairColumns, TableOptions
from zoo.training.options import (
    AUGMENTATION,
    OPTIMIZATION,
    TrainingOptions,
    at_least,
    early_stopping,
    epochs,
    learning_rate,
    warmup,
)

STEPS = 2000  # minimum number of training steps if the number of epochs is not given


@dataclass(kw_only=True)
class Settings(TextSettings, TaskSettings, WordVectorSettings, PairColumns, TableOptions):
    """Settings of a text-to-text task."""

    model: str = "transformer"
    tokenizer: str = option(
        "wordpiece",
        f"Tokenizer to train: {', '.join(TOKENIZERS)} or {CASED_WORDS} (whole words; rare ones are "
        "unknown, see --replace-unknown of predict).",
        group=TEXT,
    )
    max_source_length: int = option(
        128, "Maximum number of source tokens; longer texts are truncated.", minimum=2, group=TEXT
    )
    max_target_length: int = option(
        128,
        "Maximum number of target tokens; longer texts are truncated. Also the maximum number of "
        "tokens to generate.",
        minimum=2,
        group=TEXT,
    )


@dataclass(kw_only=True)
class Training(TrainingOptions):
    """Training options of a text-to-text task."""

    epochs: int | None = epochs(at_least(STEPS))
    patience: int | None = early_stopping()
    learning_rate: float | None = learning_rate("1 / sqrt(4000 * hidden_dim)")
    warmup: int | None = warmup("a fifth of all steps, at most 4000")
    schedule: str = "noam"
    batch_tokens: int | None = option(
        None,
        "Batch size in tokens of the longer side (source or target), including padding. Default: "
        "4096; of data with fewer than 64 such batches 2048, 1024 or 512.",
        minimum=1,
        group=OPTIMIZATION,
    )
    label_smoothing: float = option(
        0.1, "Label smoothing factor.", minimum=0, below=1, group=OPTIMIZATION
    )
    bpe_dropout: float = option(
        0.0,
        "Probability of leaving out each merge when training texts are split by a byte-bpe "
        "tokenizer: differently in every epoch (BPE-dropout; 0.1 is usual).",
        minimum=0,
        below=1,
        group=AUGMENTATION,
    )
