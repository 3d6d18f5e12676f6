"""Metrics of forecasts."""

from collections.abc import Sequence

import numpy as np


def score_forecasts(
    true: np.ndarray, forecasts: np.ndarray, quantiles: Sequence[float], errors: np.ndarray
) -> dict[str, float]:
    """MAE and MASE of the median, CRPS of the quantiles, and the coverage of the widest interval.

    Source: MASE: Hyndman & Koehler 2006, equation 6; CRPS as the integral of pinball losses:
        Gneiting & Ranjan 2011, equation 17, here the mean over the given levels.
    Formula: `mae = mean |y - f_mid|`; `mase = mean of |y - f_mid| / e`; `crps = mean over y and q
        of 2 max(q (y - f_q), (q - 1) (y - f_q))`; `coverage = mean [f_first <= y <= f_last]`; all
        over y not missing

    Args:
        true: Values (N, H, C), NaN where missing.
        forecasts: Quantiles (N, H, C, Q).
        quantiles: Their levels.
        errors: Errors e (N, C) of the seasonal-naive forecast before each forecast; NaN to leave
            out of MASE.

    Returns:
        Dictionary of `mae`, `crps`; `mase` if an error is not NaN, `coverage` of several quantiles.

    Example:
        >>> true, forecasts = np.array([[[3.0]]]), np.array([[[[1.0, 2.0, 4.0]]]])
        >>> score_forecasts(true, forecasts, [0.1, 0.5, 0.9], np.array([[2.0]]))
        {'mae': 1.0, 'crps': 0.5333333333333333, 'mase': 0.5, 'coverage': 1.0}
    """
    true, levels = true.astype("float64"), np.array(quantiles)
    distance = true[..., None] - forecasts
    absolute = np.abs(distance[..., middle(quantiles)])
    pinball = np.maximum(levels * distance, (levels - 1) * distance)
    scores = {"mae": float(np.nanmean(absolute)), "crps": float(2 * np.nanmean(pinball))}
    scaled = absolute / errors[:, None]
    if not np.isnan(scaled).all():
        scores["mase"] = float(np.nanmean(scaled))
    if len(levels) > 1:
        there = ~np.isnan(true)
        inside = (forecasts[..., 0] <= true) & (true <= forecasts[..., -1])
        scores["coverage"] = float(inside[there].mean())
    return scores


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
