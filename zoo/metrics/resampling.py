"""Bootstrap intervals of metrics, and the paired bootstrap test of two models."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from zoo.metrics.measure import Measures, value_of

RESAMPLES = 1000
SEED = 12345  # that of sacrebleu, whose resamples are the same
LEVEL = 0.95  # of intervals
CHUNK = 2**22  # counts that are computed at once


@dataclass(frozen=True)
class Difference:
    """The difference of a metric of two models on the same rows.

    Args:
        value: The metric of the first model.
        other: That of the other one.
        interval: The bootstrap interval of `value - other`.
        p: The probability of such a difference, or a larger one, if the models are equally good.
    """

    value: float
    other: float
    interval: tuple[float, float]
    p: float

    @property
    def difference(self) -> float:
        """The metric of the first model, less that of the other."""
        return self.value - self.other


def resamples(rows: int, count: int = RESAMPLES, seed: int = SEED) -> Iterator[np.ndarray]:
    """How often each row is in each resample, (R, N) for some resamples at a time.

    Args:
        rows: The number of rows N, which is also that of a resample.
        count: The number of resamples.
        seed: Random seed.

    Example:
        >>> [part.sum(axis=1).tolist() for part in resamples(rows=4, count=2)]
        [[4.0, 4.0]]
    """
    generator = np.random.default_rng(seed)
    step = max(1, CHUNK // rows)
    for start in range(0, count, step):
        drawn = generator.choice(rows, (min(step, count - start), rows), replace=True)
        yield np.stack([np.bincount(row, minlength=rows) for row in drawn]).astype(np.float64)


def intervals(measures: Measures, rows: int) -> dict[str, tuple[float, float]]:
    """The bootstrap interval of each metric: percentiles over resamples of the rows.

    Source: Efron & Tibshirani 1993, "An Introduction to the Bootstrap", section 13.3.

    Args:
        measures: The metrics.
        rows: The number of rows.
    """
    return {name: interval(values) for name, values in resampled([measures], rows)[0].items()}


def differences(ours: Measures, theirs: Measures, rows: int) -> dict[str, Difference]:
    """Compares two models by the paired bootstrap test: both are measured on the same resamples.

    Source: Koehn 2004, "Statistical Significance Tests for Machine Translation Evaluation",
        section 4, as computed by sacrebleu, but equal models have p = 1; Efron & Tibshirani 1993,
        section 16.4.
    Formula: `p = (1 + #{r: |d_r| - mean |d| >= |d|}) / (1 + R)`, d_r the difference in resample r

    Args:
        ours: The metrics of one model.
        theirs: The same metrics of the other one.
        rows: The number of rows.
    """
    first, second = resampled([ours, theirs], rows)
    return {
        name: difference(
            value_of(ours[name], rows), value_of(theirs[name], rows), values, second[name]
        )
        for name, values in first.items()
    }


def difference(value: float, other: float, values: np.ndarray, others: np.ndarray) -> Difference:
    """The difference of a metric of two models, and of their values in the same resamples (R,)."""
    each = values - others
    sizes = np.abs(each[~np.isnan(each)])
    further = (sizes - sizes.mean() >= abs(value - other)).sum() if len(sizes) else 0
    p = float((further + 1) / (len(sizes) + 1))
    return Difference(value, other, interval(each), p)


def resampled(models: list[Measures], rows: int, seed: int = SEED) -> list[dict[str, np.ndarray]]:
    """The value of each metric in each resample, for each model, (R,)."""
    sampled: list[dict[str, list[np.ndarray]]] = [{name: [] for name in each} for each in models]
    for counts in resamples(rows, seed=seed):
        for values, measures in zip(sampled, models, strict=True):
            for name, measure in measures.items():
                values[name].append(measure(counts))
    return [{name: np.concatenate(parts) for name, parts in each.items()} for each in sampled]


def interval(values: np.ndarray) -> tuple[float, float]:
    """The middle 95 % of the values that are not NaN."""
    edge = 50 * (1 - LEVEL)
    low, high = np.nanpercentile(values, [edge, 100 - edge])
    return float(low), float(high)
