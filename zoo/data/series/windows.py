"""Windows of series: the values before a forecast, and those to forecast; and their scale."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from zoo.data_statistics import Statistics, record

if TYPE_CHECKING:
    from zoo.data.series.series import Series

SMALLEST = 1e-6  # of a standard deviation, relative to the mean


def center_and_scale(context: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean and standard deviation of the values that are not missing.

    The layer `InstanceNormalization` computes the same in the model.

    Source: Kim et al. 2022, equation 1.
    Formula: `m = mean_t x_t`, `s = sqrt(mean_t (x_t - m)^2)` over observed t; s is |m| where values
        are constant, and 1 where they are 0 or all missing

    Args:
        context: Values (..., T, C), NaN where missing.

    Returns:
        Mean and scale, (..., 1, C).

    Example:
        >>> center, scale = center_and_scale(np.array([[1.0], [np.nan], [3.0]]))
        >>> center.tolist(), scale.tolist()
        ([[2.0]], [[1.0]])
    """
    seen = ~np.isnan(context)
    count = np.maximum(seen.sum(axis=-2, keepdims=True), 1)
    center = np.where(seen, context, 0).sum(axis=-2, keepdims=True) / count
    squares = np.where(seen, (context - center) ** 2, 0)
    spread = np.sqrt(squares.sum(axis=-2, keepdims=True) / count)
    size = np.abs(center)
    constant = np.where(size > 0, size, 1)
    return center, np.where(spread > SMALLEST * size, spread, constant)


def filled_contexts(context: np.ndarray, season: int) -> np.ndarray:
    """Contexts whose missing values are those of another season or, without one, the nearest ones.

    The layer `SeasonalFill` computes the same in the model.

    Args:
        context: Values (..., T, C), NaN where missing.
        season: Number of steps of a season; 1 if there is none.

    Returns:
        Values (..., T, C), NaN if the values of a step are missing in all seasons.

    Example:
        >>> nan = np.nan
        >>> filled_contexts(np.array([[1.0], [2.0], [nan], [nan], [5.0]]), 2).ravel().tolist()
        [1.0, 2.0, 1.0, 2.0, 5.0]
    """
    filled = context.copy()
    length = context.shape[-2]
    step = stride(season, length)
    for order in (range(step, length), range(length - step - 1, -1, -1)):
        for index in order:
            near = index - step * order.step
            own = filled[..., index, :]
            filled[..., index, :] = np.where(np.isnan(own), filled[..., near, :], own)
    return filled


def stride(season: int, length: int) -> int:
    """The number of steps between the values that stand for each other when one is missing.

    Args:
        season: Number of steps of a season.
        length: Number of steps of a context.

    Example:
        >>> stride(12, 36), stride(12, 12)
        (12, 1)
    """
    return season if season < length else 1


def last_rows(rows: np.ndarray, count: int) -> np.ndarray:
    """The last rows of an array, with missing ones before it if it is shorter.

    Example:
        >>> last_rows(np.array([[1.0], [2.0]]), 3).ravel().tolist()
        [nan, 1.0, 2.0]
    """
    rows = rows[max(0, len(rows) - count) :]
    return np.pad(rows, [(count - len(rows), 0), (0, 0)], constant_values=np.nan)


def record_gaps(values: Sequence[np.ndarray], context: int) -> None:
    """Records what is missing before the forecasts of series.

    Args:
        values: The values (T, C) of each series, NaN where missing.
        context: Number of values before a forecast that the model reads.
    """
    short = sum(len(each) < context for each in values)
    missing = sum(int(np.isnan(each[-context:]).sum()) for each in values)
    what = f"forecasts with fewer than {context} values before, filled with missing values"
    record(Statistics({what: short, "missing values before forecasts": missing}))


def training_starts(series: "Series", context: int, horizon: int) -> np.ndarray:
    """The steps at which a forecast to learn from can begin.

    At least half of the context lies within the series, if it is long enough.

    Args:
        series: The series.
        context: Number of steps before a forecast.
        horizon: Number of steps of a forecast.
    """
    last = len(series) - horizon
    first = max(1, min(-(-context // 2), last))
    return _with_values(series, np.arange(first, last + 1), context, horizon)


def last_starts(
    series: "Series", context: int, horizon: int, count: int, every: int | None = None
) -> np.ndarray:
    """The steps at which the last forecasts begin, by default each a horizon after the one before.

    Args:
        series: The series.
        context: Number of steps before a forecast.
        horizon: Number of steps of a forecast.
        count: Number of forecasts that are a horizon apart.
        every: Number of steps from one to the next, at most the horizon.
    """
    last = len(series) - horizon
    starts = np.arange(last - horizon * (count - 1), last + 1, every or horizon)
    return _with_values(series, starts[starts >= 1], context, horizon)


def _with_values(series: "Series", starts: np.ndarray, context: int, horizon: int) -> np.ndarray:
    """Those with a value in the context, and one among those to forecast."""
    seen = np.concatenate([[0], np.cumsum(~np.isnan(series.values).all(axis=1))])
    before = seen[starts] - seen[np.maximum(starts - context, 0)]
    after = seen[starts + horizon] - seen[starts]
    kept: np.ndarray = starts[(before > 0) & (after > 0)]
    return kept


def contexts(series: "Sequence[Series]", origins: np.ndarray, length: int) -> np.ndarray:
    """The values before forecasts, (N, T, C).

    Args:
        series: The series.
        origins: For each forecast the number of its series, and the step where it begins, (N, 2).
        length: Number of steps T.
    """
    parts = [
        last_rows(series[number].values[max(0, start - length) : start], length)
        for number, start in origins
    ]
    return np.stack(parts)


def futures(series: "Sequence[Series]", origins: np.ndarray, horizon: int) -> np.ndarray:
    """The values to forecast, (N, horizon, C)."""
    return np.stack([series[number].values[start : start + horizon] for number, start in origins])


def covariates(
    series: "Sequence[Series]", origins: np.ndarray, length: int, horizon: int
) -> np.ndarray:
    """The covariates of the steps before forecasts and of the steps to forecast."""
    parts = []
    for number, start in origins:
        known = series[number].known
        assert known is not None
        parts.append(last_rows(known[: start + horizon], length + horizon))
    return np.stack(parts)
