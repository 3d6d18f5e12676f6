"""Confidence intervals of 95 % of metrics."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

PARTS = 20  # of the data, at random
STUDENT = 2.093  # the quantile 0.975 of Student's t with 19 degrees of freedom
SHARES = ("accuracy", "exact_match")  # metrics that count which rows are right


def of_share(share: float, rows: int) -> tuple[float, float]:
    """The exact interval of a share of rows, by Clopper and Pearson.

    Args:
        share: The share that was found, such as an accuracy.
        rows: The number of rows.

    Example:
        >>> [round(end, 3) for end in of_share(0.9, 100)]
        [0.824, 0.951]
        >>> [round(end, 3) for end in of_share(1.0, 100)]
        [0.964, 1.0]
    """
    right = round(share * rows)
    low = 0.0 if right == 0 else _solve(lambda p: 1 - _at_most(right - 1, rows, p) - 0.025)
    high = 1.0 if right == rows else _solve(lambda p: 0.025 - _at_most(right, rows, p))
    return low, high


def of_parts(whole: float, parts: Sequence[float], rows: Sequence[int]) -> tuple[float, float]:
    """The interval of a metric from those of parts of the data, as far as they differ.

    Args:
        whole: The metric on all data, the middle of the interval.
        parts: The metric on `PARTS` parts.
        rows: The number of rows of each part.

    Example:
        >>> low, high = of_parts(0.5, [0.4, 0.6] * 10, [50] * 20)
        >>> round(low, 3), round(high, 3)
        (0.452, 0.548)
    """
    values, weights = np.asarray(parts, float), np.asarray(rows, float)
    weights = weights / weights.sum()
    mean = float((weights * values).sum())
    variance = float((weights * (values - mean) ** 2).sum()) / (len(values) - 1)
    half = STUDENT * math.sqrt(variance)
    return whole - half, whole + half


def _at_most(right: int, rows: int, p: float) -> float:
    """The probability of at most so many right rows, if each is right with probability p."""
    k = np.arange(right + 1)
    ways = np.concatenate([[0.0], np.cumsum(np.log(rows - k[:-1]) - np.log(k[1:]))])
    return float(np.exp(ways + k * math.log(p) + (rows - k) * math.log1p(-p)).sum())


def _solve(rising: Callable[[float], float]) -> float:
    """Where a function that rises between 0 and 1 is zero."""
    low, high = 0.0, 1.0
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if rising(middle) < 0 else (low, middle)
    return (low + high) / 2
