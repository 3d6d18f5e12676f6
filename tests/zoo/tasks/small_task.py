"""Fifty pairs that a tiny model learns in seconds: three number words to three digits."""

from typing import Any

import numpy as np

import zoo

WORDS = ["zero", "one", "two", "three", "four", "five"]
LIMIT = 9


def make_pairs(count: int = 50) -> list[tuple[str, str]]:
    drawn = np.random.default_rng(5).integers(0, len(WORDS), (count, 3))
    return [(" ".join(WORDS[i] for i in row), " ".join(map(str, row))) for row in drawn]


def make_task(**options: Any) -> zoo.TextToText:
    settings: dict[str, Any] = {
        "num_layers": 1,
        "hidden_dim": 32,
        "num_heads": 2,
        "intermediate_dim": 32,
        "dropout": 0.05,
        "vocabulary_size": 60,
        "max_source_length": LIMIT,
        "max_target_length": 5,
    }
    return zoo.TextToText("transformer", "tiny", **(settings | options))


def fit(task: zoo.TextToText, epochs: int, repeats: int = 1, **options: Any):
    """Trains with one shape of batch, without compiling for it; each epoch repeats the pairs."""
    settings: dict[str, Any] = {
        "learning_rate": 0.01,
        "warmup": 10,
        "label_smoothing": 0.0,
        "batch_tokens": 20,
        "xla": False,
        "verbose": False,
    }
    return task.fit(make_pairs() * repeats, epochs=epochs, **(settings | options))
