"""Metrics of forecasts that are quantiles of the next values of series."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from zoo.metrics.measure import Measure, Measures, additive, divided, share

OF = "_of_"  # after the name of a metric, before that of a target
MANY = 20  # number of targets above which they have no metrics of their own


@dataclass(frozen=True)
class ForecastRows:
    """Forecasts beside the values that came.

    Args:
        true: Values (N, H, C), NaN where missing.
        forecasts: Quantiles (N, H, C, Q).
        quantiles: Their levels.
        errors: Errors (N, C) of the seasonal-naive forecast before each forecast, the unit of MASE;
            NaN where it is unknown.
        targets: Names of the C targets; may be left out.

    Example:
        >>> true, forecasts = np.array([[[3.0]]]), np.array([[[[1.0, 2.0, 4.0]]]])
        >>> rows = ForecastRows(true, forecasts, [0.1, 0.5, 0.9], np.array([[2.0]]))
        >>> rows.absolute.item(), round(rows.pinball.item(), 3)
        (1.0, 0.267)
    """

    true: np.ndarray
    forecasts: np.ndarray
    quantiles: Sequence[float]
    errors: np.ndarray
    targets: Sequence[str] = ()

    def __len__(self) -> int:
        return len(self.true)

    @property
    def expected(self) -> list[Any]:
        """The values, None where missing."""
        values = np.asarray(self.true, np.float64).ravel().tolist()
        return [*self.true.shape, *(None if np.isnan(each) else each for each in values)]

    @cached_property
    def distance(self) -> np.ndarray:
        """The values less their forecasts, (N, H, C, Q)."""
        return self.true.astype("float64")[..., None] - self.forecasts

    @property
    def absolute(self) -> np.ndarray:
        """The absolute error of the quantile nearest to the median, (N, H, C)."""
        return np.abs(self.distance[..., middle(self.quantiles)])

    @property
    def pinball(self) -> np.ndarray:
        """The mean of the pinball losses of the quantiles, (N, H, C).

        Source: Koenker & Bassett 1978.
        Formula: `max(q (y - f_q), (q - 1) (y - f_q))`
        """
        levels = np.array(self.quantiles)
        losses = np.maximum(levels * self.distance, (levels - 1) * self.distance)
        mean: np.ndarray = losses.mean(axis=-1)
        return mean


def mae(rows: ForecastRows) -> Measures:
    """The mean absolute error of the median, over values that are not missing."""
    return _mean("mae", rows.absolute)


def mae_per_target(rows: ForecastRows) -> Measures:
    """`mae` of each of several targets, named `mae_of_<target>`; nothing of more than 20."""
    if not 1 < len(rows.targets) <= MANY:
        return {}
    measures: dict[str, Measure] = {}
    for index, target in enumerate(rows.targets):
        measures |= _mean(f"mae{OF}{target}", rows.absolute[..., index])
    return measures


def rmse(rows: ForecastRows) -> Measures:
    """The root mean squared error of the median."""
    sums, counts = _sums(rows.absolute**2)
    statistics = np.stack([sums, counts], axis=1)
    return {"rmse": additive(statistics, lambda each: np.sqrt(divided(*each.T)))}


def mase(rows: ForecastRows) -> Measures:
    """The mean absolute error of the median, each by the error of the seasonal-naive forecast.

    Source: Hyndman & Koehler 2006, equation 6.
    """
    return _mean("mase", rows.absolute / rows.errors[:, None])


def crps(rows: ForecastRows) -> Measures:
    """The continuous ranked probability score of the quantiles.

    Source: Gneiting & Ranjan 2011, equation 17, here the mean over the given levels.
    Formula: twice the mean pinball loss
    """
    return _mean("crps", 2 * rows.pinball)


def pinball_loss(rows: ForecastRows) -> Measures:
    """The mean pinball loss of the quantiles."""
    return _mean("pinball_loss", rows.pinball)


def coverage(rows: ForecastRows) -> Measures:
    """The fraction of values between the first and the last quantile; nothing of one quantile."""
    if len(rows.quantiles) < 2:
        return {}
    inside = (rows.distance[..., 0] >= 0) & (rows.distance[..., -1] <= 0)
    return _mean("coverage", np.where(np.isnan(rows.true), np.nan, inside))


def middle(quantiles: Sequence[float]) -> int:
    """The index of the quantile nearest to the median.

    Example:
        >>> middle([0.05, 0.5, 0.95])
        1
    """
    return int(np.argmin(np.abs(np.array(quantiles) - 0.5)))


def seasonal_error(values: np.ndarray, season: int) -> np.ndarray:
    """The mean absolute error of the seasonal-naive forecast of one step, the unit of MASE.

    Source: Hyndman & Koehler 2006, equation 6, with seasons as in Makridakis et al. 2020.
    Formula: `e = mean_t |y_t - y_{t-m}|`; m is 1 if there is no whole season

    Args:
        values: Values (T, C) before the forecast, NaN where missing.
        season: Number of steps m of a season.

    Returns:
        The error of each target (C,); NaN if it is 0 or unknown.

    Example:
        >>> seasonal_error(np.array([[1.0], [2.0], [4.0], [6.0]]), season=2).tolist()
        [3.5]
    """
    lag = season if len(values) > season else 1
    if len(values) <= lag:
        return np.full(values.shape[1], np.nan)
    steps = np.abs(values[lag:].astype("float64") - values[:-lag])
    there = ~np.isnan(steps)
    mean = np.where(there, steps, 0).sum(axis=0) / np.maximum(there.sum(axis=0), 1)
    return np.where(mean > 0, mean, np.nan)


def _mean(name: str, values: np.ndarray) -> Measures:
    """The mean of values (N, ...) that are not NaN; nothing if all are."""
    sums, counts = _sums(values)
    return {name: share(sums, counts)} if counts.any() else {}


def _sums(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The sum and the number of the values of each row that are not NaN, (N,) each."""
    rows = values.reshape(len(values), -1)
    return np.nansum(rows, axis=1), (~np.isnan(rows)).sum(axis=1)
