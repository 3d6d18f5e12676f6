"""Options of language models."""

from dataclasses import dataclass

from zoo.options import option
from zoo.tasks.options.common import (
    TEXT,
    TOKENIZERS,
    TaskSettings,
    TextSettings,
    WordVectorSettings,
)
from zoo.tasks.options.table_columns import TableOptions, TextColumn
from zoo.training.options import (
    OPTIMIZATION,
    TrainingOptions,
    at_least,
    early_stopping,
    epochs,
    learning_rate,
    warmup,
)

CROSSENTROPY, DPO = "crossentropy", "dpo"
STEPS = 1000  # minimum number of training steps if the number of epochs is not given


@dataclass(kw_only=True)
class Settings(TextSettings, TaskSettings, WordVectorSettings, TextColumn, TableOptions):
    """Settings of a language model."""

    model: str = "gpt"
    tokenizer: str = option(
        "bytes", f"Tokenizer to train: {', '.join(TOKENIZERS[:-1])} or {TOKENIZERS[-1]}; only "
        "bytes keeps line breaks.", group=TEXT,
    )  # fmt: skip
    max_length: int = option(
        128,
        "Number of tokens in a training example. For models with learned positions, also the "
        "maximum length of prompt and output together.",
        minimum=2,
        group=TEXT,
    )
    max_new_tokens: int | None = option(
        None,
        "Maximum number of tokens to generate. Default: 64, or half of max_length if that is less.",
        minimum=1,
        group=TEXT,
    )
    chat_template: str | None = option(
        None,
        "Jinja template of chats, as in tokenizer_config.json. Default: that of the checkpoint, or "
        "ChatML with the end token of the tokenizer.",
        group=TEXT,
    )


@dataclass(kw_only=True)
class Training(TrainingOptions):
    """Training options of a language model."""

    epochs: int | None = epochs(at_least(STEPS))
    patience: int | None = early_stopping()
    learning_rate: float | None = learning_rate(
        "0.4 / hidden_dim, at most 0.003; 0.001 with --pretrained; of dpo 1e-6, or 1e-5 with "
        "--lora-rank"
    )
    loss: str = option(
        CROSSENTROPY,
        "Loss; dpo is direct preference optimization: of two answers the chosen one becomes more "
        "probable, compared with the model before tuning.",
        choices=(CROSSENTROPY, DPO),
        group=OPTIMIZATION,
    )
    packing: bool = option(
        False,
        "Whether a row of training data has several whole texts, which do not attend to each "
        "other, instead of windows of all texts joined together; for gpt and llama.",
        group=OPTIMIZATION,
    )
    beta: float = option(
        0.1,
        "Strength of the reference in dpo: the greater, the nearer to the model before tuning.",
        above=0,
        group=OPTIMIZATION,
    )
    warmup: int | None = warmup("a tenth of all steps, at most 200")
    batch_size: int | None = option(
        None,
        "Batch size. Default: the model's stateful_batch_size, or else 32; of data with fewer than "
        "64 such batches 16, or 8; fewer for long rows and a large vocabulary, for the memory; of "
        "dpo 8 pairs.",
        minimum=1,
        group=OPTIMIZATION,
    )
