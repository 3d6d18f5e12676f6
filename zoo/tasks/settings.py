"""The settings that tasks share; each task adds its own."""

from dataclasses import dataclass

from zoo.options import Options, option

MODEL, TEXT = "Model", "Text"
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
