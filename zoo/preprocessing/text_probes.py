"""Texts for an export: probes to verify an artifact with, and samples to measure its precision."""

from collections.abc import Iterable, Sequence

import numpy as np

from zoo.text.special_tokens import MASK

ODD_TEXTS = ("", " ", "\u00e9 \u00fc \u00df \u4f60\u597d \U0001f642", "a")
PROBES = 5  # maximum number of examples in a batch of probes
CHANGED = 0.2  # share of the words of a sample that are replaced
SAMPLES, ROWS = 64, 16  # number of texts to measure the agreement of two models, and in a batch


def text_probes(texts: Sequence[str], max_length: int) -> list[np.ndarray]:
    """Batches of texts to verify an artifact with: some texts, odd ones, a long one, and one alone.

    Args:
        texts: Texts of the training data.
        max_length: Maximum number of tokens of a text, which the long one exceeds.

    Example:
        >>> [len(batch) for batch in text_probes(["a red hat", "rain"], max_length=10)]
        [7, 1]
    """
    long = " ".join([*texts[:1]] * max_length) or "a"
    first = np.array([*texts[:PROBES], *ODD_TEXTS, long], object)
    return [first, np.array([*texts[:1]] or ["a"], object)]


def text_samples(texts: Sequence[str], names: Iterable[str]) -> list[dict[str, np.ndarray]]:
    """Batches of texts like those of the training data, to measure the agreement of two models.

    Args:
        texts: Texts of the training data.
        names: Names of the inputs, each of which gets other texts.

    Example:
        >>> batches = text_samples(["a red hat", "rain"], ["text"])
        >>> len(batches), len(batches[0]["text"])
        (4, 16)
    """
    texts = [text for text in texts if text.split()] or ["a"]
    columns = {
        name: np.array(jittered(texts, SAMPLES, seed), object) for seed, name in enumerate(names)
    }
    return [
        {name: column[start : start + ROWS] for name, column in columns.items()}
        for start in range(0, SAMPLES, ROWS)
    ]


def jittered(texts: Sequence[str], count: int, seed: int) -> list[str]:
    """Texts like the given ones: a fifth of the words of each are words of any of them.

    Masks stay where they are.

    Example:
        >>> len(jittered(["a red hat", "rain"], 5, seed=0))
        5
    """
    random = np.random.default_rng(seed)
    words = [word for text in texts for word in text.split()]

    def changed(word: str) -> str:
        kept = MASK in word or random.random() >= CHANGED
        return word if kept else words[random.integers(len(words))]

    rows = (texts[row % len(texts)] for row in range(count))
    return [" ".join(map(changed, row.split())) for row in rows]
