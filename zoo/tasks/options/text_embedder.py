"""Options of text embedding."""

from dataclasses import dataclass

from zoo.options import option
from zoo.tasks.options.common import (
    MODEL,
    TEXT,
    TextSettings,
)
from zoo.training.options import OPTIMIZATION, TrainingOptions

POOLINGS = ("mean", "cls")


@dataclass(kw_only=True)
class Settings(TextSettings):
    """Settings of a text embedder."""

    model: str = "bert"
    max_length: int = option(
        128, "Maximum number of tokens of a text; longer texts are truncated.", minimum=2,
        group=TEXT,
    )  # fmt: skip
    pooling: str = option(
        "mean", "Pooling: mean of the tokens, or cls, the start token.", choices=POOLINGS,
        group=MODEL,
    )  # fmt: skip
    normalize: bool = option(True, "Whether to scale vectors to length 1.", group=MODEL)


@dataclass(kw_only=True)
class Training(TrainingOptions):
    """Training options of a text embedder."""

    batch_tokens: int = option(
        4096,
        "Tokens in a batch, padding included; larger batches have more negatives.",
        minimum=1,
        group=OPTIMIZATION,
    )
