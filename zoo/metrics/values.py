"""Metrics of answers that are values: the share of variance explained, correlations, and errors."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from zoo.metrics.measure import Measure, Measures, additive, divided


@dataclass(frozen=True)
class ValueRows:
    """Rows with correct and predicted values.

    Args:
        references: The correct values, (N, K).
        predictions: The predicted values, (N, K).
        names: The names of the K columns.
    """

    references: np.ndarray
    predictions: np.ndarray
    names: Sequence[str]

    def __len__(self) -> int:
        return len(self.references)

    @property
    def expected(self) -> list[Any]:
        """The correct values."""
        return np.asarray(self.references).tolist()


OfColumn = Callable[[np.ndarray, np.ndarray], Measure]


def r2(rows: ValueRows) -> Measures:
    """The share of variance explained; of several columns also the mean. 0 of equal references.

    Source: Draper & Smith 1998, section 1.3.
    Formula: `1 - sum (y - p)^2 / sum (y - mean y)^2`
    """
    of_columns = _each(rows, "r2", _r2)
    if len(of_columns) == 1:
        return of_columns
    return {
        "r2": lambda counts: np.mean([each(counts) for each in of_columns.values()], 0),
        **of_columns,
    }


def pearson(rows: ValueRows) -> Measures:
    """The correlation of references and predictions, 0 if one of them is constant.

    Formula: `cov(y, p) / (std(y) std(p))`
    """
    return _each(rows, "pearson", lambda y, p: lambda counts: _correlation(counts, y, p))


def spearman(rows: ValueRows) -> Measures:
    """The correlation of the ranks, equal numbers with the mean of theirs.

    Source: Spearman 1904.
    """
    return _each(rows, "spearman", _spearman)


def mae(rows: ValueRows) -> Measures:
    """The mean absolute error."""
    return _each(rows, "mae", lambda y, p: _mean(np.abs(y - p), lambda mean: mean))


def rmse(rows: ValueRows) -> Measures:
    """The root mean squared error."""
    return _each(rows, "rmse", lambda y, p: _mean((y - p) ** 2, np.sqrt))


def _each(rows: ValueRows, name: str, measure: OfColumn) -> Measures:
    """A metric of each column, after its name if there are several."""
    y, p = (np.asarray(each, np.float64).T for each in (rows.references, rows.predictions))
    names = [name] if len(rows.names) == 1 else [f"{column}_{name}" for column in rows.names]
    return {name: measure(*pair) for name, *pair in zip(names, y, p, strict=True)}


def _mean(errors: np.ndarray, finish: Callable[[np.ndarray], np.ndarray]) -> Measure:
    return lambda counts: finish(divided(counts @ errors, counts.sum(axis=1)))


def _r2(y: np.ndarray, p: np.ndarray) -> Measure:
    centered = y - y.mean()
    parts = np.stack([(y - p) ** 2, centered, centered**2, np.ones_like(y)], axis=1)

    def value(sums: np.ndarray) -> np.ndarray:
        squares, total, of_squares, count = sums.T
        spread = of_squares - total**2 / count
        known = spread > 1e-12 * of_squares
        return np.where(known, 1 - divided(squares, np.where(known, spread, 1)), 0)

    return additive(parts, value)


def _spearman(y: np.ndarray, p: np.ndarray) -> Measure:
    def value(counts: np.ndarray) -> np.ndarray:
        return _correlation(counts, _ranks(y, counts), _ranks(p, counts))

    return value


def _ranks(numbers: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """The mean rank of each row among the rows of each resample, (R, N)."""
    _, group = np.unique(numbers, return_inverse=True)
    size = int(group.max()) + 1
    in_group = np.stack([np.bincount(group, row, size) for row in counts])
    middle = np.cumsum(in_group, axis=1) - (in_group - 1) / 2
    return middle[:, group]


def _correlation(counts: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The correlation of numbers (N,) or (R, N), each row of which counts so often."""
    total = counts.sum(axis=1, keepdims=True)
    a, b = (x - (counts * x).sum(axis=1, keepdims=True) / total for x in (a, b))
    size = np.sqrt((counts * a * a).sum(axis=1) * (counts * b * b).sum(axis=1))
    return np.round(divided((counts * a * b).sum(axis=1), size, otherwise=0), 12)
