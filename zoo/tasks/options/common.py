"""The settings that tasks share; each task adds its own."""

from dataclasses import dataclass

from zoo.options import Options, option
from zoo.training.options import OPTIMIZATION, TrainingOptions

MODEL, TEXT, DATA = "Model", "Text", "Data"
TOKENIZERS = ("wordpiece", "sentencepiece", "characters", "bytes")
SEED = "Random seed of the initial weights."


@dataclass(kw_only=True)
class TaskSettings(Options):
    """Settings of every task, saved in config.json; whatever else a task is given are options of
    its model."""

    model: str = option("", "Name of the model; see `keras-attn models`.", group=MODEL)
    preset: str = option("tiny", "Preset of the model; see `keras-attn models`.", group=MODEL)
    dtype: str | None = option(
        None,
        "Precision: mixed_bfloat16 or mixed_float16 compute in 16 bits; default float32.",
        choices=("float32", "mixed_bfloat16", "mixed_float16"),
        group=MODEL,
    )
    seed: int = option(0, SEED, minimum=0, below=2**32, group=MODEL)


@dataclass(kw_only=True)
class TextSettings(TaskSettings):
    """Settings of every task on text."""

    tokenizer: str = option(
        "wordpiece", f"Tokenizer to train: {', '.join(TOKENIZERS)}.", group=TEXT
    )
    vocabulary_size: int = option(
        8000, "Maximum vocabulary size of the tokenizer.", minimum=5, group=TEXT
    )


@dataclass(kw_only=True)
class MaskedTextSettings(TaskSettings):
    """Settings of tasks on texts with masks."""

    vocabulary_size: int = option(
        8000, "Maximum vocabulary size of the WordPiece tokenizer.", minimum=5, group=TEXT
    )
    max_length: int = option(
        128,
        "Maximum number of tokens of an example, special tokens included; also the maximum that "
        "the model reads.",
        minimum=2,
        group=TEXT,
    )


@dataclass(kw_only=True)
class ClassifierTraining(TrainingOptions):
    """Training options of tasks that classify."""

    batch_tokens: int = option(
        2048, "Tokens in a batch, padding included.", minimum=1, group=OPTIMIZATION
    )
    label_smoothing: float = option(0.0, "Label smoothing.", minimum=0, below=1, group=OPTIMIZATION)


@dataclass(kw_only=True)
class PassageTraining(TrainingOptions):
    """Training options of tasks that learn from passages of fixed length."""

    batch_size: int = option(32, "Examples in a batch.", minimum=1, group=OPTIMIZATION)
