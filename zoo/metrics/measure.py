"""Metrics as functions of how often each row counts."""

from collections.abc import Callable, Mapping
from typing import Any, Protocol

import numpy as np


class Rows(Protocol):
    """Answers beside correct ones."""

    def __len__(self) -> int:
        """The number of rows, which are resampled."""

    @property
    def expected(self) -> list[Any]:
        """What is correct of each row, which is the same for all models that are compared."""


Measure = Callable[[np.ndarray], np.ndarray]
"""Function from counts (R, N) to values (R,): each of R resamples takes row n `counts[r, n]` times.

A value is NaN where the metric is undefined.
"""
Measures = Mapping[str, Measure]
"""Measures by the name of the value, such as one for each label."""


def additive(statistics: np.ndarray, value: Callable[[np.ndarray], np.ndarray]) -> Measure:
    """A metric of the sums of what each row contributes.

    Args:
        statistics: What the rows contribute, (N, K).
        value: Function from sums (R, K) to values (R,).
    """
    return lambda counts: value(counts @ statistics)


def share(part: np.ndarray, whole: np.ndarray | None = None) -> Measure:
    """The sum of one number of each row divided by that of another, NaN if that is 0.

    Args:
        part: Numbers (N,).
        whole: Numbers (N,); 1 by default, so that the result is the mean.

    Example:
        >>> share(np.array([1, 0, 1]))(np.array([[1, 1, 1], [0, 2, 0]])).round(3).tolist()
        [0.667, 0.0]
    """
    ones = np.ones(len(part)) if whole is None else whole
    return additive(np.stack([part, ones], axis=1), lambda sums: divided(sums[:, 0], sums[:, 1]))


def divided(part: np.ndarray, whole: np.ndarray, otherwise: float = np.nan) -> np.ndarray:
    """Quotients, with another value where the divisor is 0.

    Example:
        >>> divided(np.array([1.0, 2.0]), np.array([4.0, 0.0]), otherwise=0).tolist()
        [0.25, 0.0]
    """
    there = whole != 0
    quotients = np.asarray(part, np.float64) / np.where(there, whole, 1)
    return np.where(there, quotients, otherwise)


def sums_by_class(classes: np.ndarray, counts: np.ndarray, size: int) -> np.ndarray:
    """How many rows of each class the resamples have, (R, C).

    Args:
        classes: The class of each row, (N,).
        counts: How often each row counts, (R, N).
        size: The number of classes C.
    """
    return np.stack([np.bincount(classes, row, size) for row in counts])


def value_of(measure: Measure, rows: int) -> float:
    """The value of a metric on all rows, each once."""
    return float(measure(np.ones((1, rows)))[0])
