"""The frequencies of tokens, which models that predict single tokens are compared with."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from zoo.tasks.baselines.saved_arrays import SavedArrays


@dataclass(frozen=True)
class TokenFrequencies(SavedArrays):
    """The probability of each token, whatever is around it.

    Formula: `p(w) = (c(w) + 1) / (N + V)` for c(w) of N tokens, and V different ones

    Args:
        counts: The number c of each token, (V,).

    Example:
        >>> frequencies = TokenFrequencies.of([np.array([2, 2, 1])], vocabulary_size=3)
        >>> np.exp(frequencies.log_probabilities).round(3).tolist(), frequencies.most_frequent
        ([0.167, 0.333, 0.5], 2)
    """

    counts: np.ndarray

    @classmethod
    def of(cls, parts: Iterable[np.ndarray], vocabulary_size: int) -> Self:
        """Counts tokens.

        Args:
            parts: Their ids, in several arrays.
            vocabulary_size: Number of different tokens V.
        """
        counts = np.zeros(vocabulary_size, "int64")
        for ids in parts:
            counts += np.bincount(ids, minlength=vocabulary_size)
        return cls(counts)

    @property
    def log_probabilities(self) -> np.ndarray:
        """The log-probability of each token, (V,) in nats."""
        logs: np.ndarray = np.log((self.counts + 1) / (self.counts.sum() + len(self.counts)))
        return logs

    @property
    def most_frequent(self) -> int:
        """The most frequent token."""
        return int(self.counts.argmax())

    @classmethod
    def of_arrays(cls, arrays: dict[str, Any]) -> Self:
        counts = arrays["counts"]
        if counts.ndim != 1 or counts.dtype.kind not in "iu" or not len(counts) or counts.min() < 0:
            raise ValueError("the counts are no counts")
        return cls(counts)
