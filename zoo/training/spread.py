"""Calibration of a forecaster: how far its quantiles are from the middle one."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import keras
import numpy as np

LOWEST, HIGHEST = 0.1, 10.0
MORE = 10  # forecasts whose quantiles are right, as if they had been seen besides


@dataclass(frozen=True)
class SpreadCalibration:
    """What the distances of quantiles from the middle one are multiplied by; a `Tuned`.

    Args:
        temperature: The factor: above 1, the forecasts are less certain than the model is.
        before: The share of the validation data between the lowest and the highest quantile at a
            factor of 1.
        after: That at this factor.
        wanted: The share that there should be.
    """

    temperature: float
    before: float
    after: float
    wanted: float
    threshold: None = None
    temperatures: Mapping[str, float] = field(default_factory=dict)
    thresholds: Mapping[str, float] = field(default_factory=dict)

    def __str__(self) -> str:
        return (
            f"quantiles calibrated on validation data: {self.temperature:.3g} times as far from "
            f"the median, coverage {self.before:.3g} before and {self.after:.3g} after (it should "
            f"be {self.wanted:.3g})"
        )


def spread_of(
    quantiles: np.ndarray, values: np.ndarray, levels: Sequence[float], middle: int, horizon: int
) -> SpreadCalibration | None:
    """Fits a factor to quantiles and to the values that they forecast.

    Of few forecasts it is nearer to 1, as if ten more had been seen for which 1 is right. Forecasts
    that begin less than a horizon apart count as one.

    Source: Guo et al. 2017, section 4.2, whose temperature of scores this is for quantiles; the
        loss is that of Koenker & Bassett 1978.
    Formula: `T = (argmin_T sum_iq pinball_q(y_i, m_i + T (f_iq - m_i)))^(n / (n + 10))`, m_i the
        middle quantile, n the number of forecasts

    Args:
        quantiles: Forecasts (N, H, C, Q).
        values: What they forecast (N, H, C), NaN where missing.
        levels: The levels of the Q quantiles.
        middle: The number of the middle quantile.
        horizon: The number of steps H.

    Returns:
        The calibration; None with one level, or without values.

    Example:
        >>> random = np.random.default_rng(0)
        >>> values = random.normal(0, 2, (200, 1, 1))
        >>> narrow = np.zeros((200, 1, 1, 3)) + [-1.2816, 0, 1.2816]  # of a deviation of 1
        >>> found = spread_of(narrow, values, [0.1, 0.5, 0.9], 1, 1)
        >>> round(found.temperature, 1), round(found.before, 2), round(found.after, 2)
        (2.0, 0.49, 0.77)
    """
    there = ~np.isnan(values)
    if len(levels) < 2 or not there.any():
        return None
    own = np.asarray(quantiles, np.float64)[there]
    values = np.asarray(values, np.float64)[there][:, None]
    center = own[:, middle : middle + 1]
    distances = own - center
    of_levels = np.asarray(levels, np.float64)

    def loss(factor: float) -> float:  # convex
        error = values - center - factor * distances
        return float(np.maximum(of_levels * error, (of_levels - 1) * error).mean())

    low, high = np.log(LOWEST), np.log(HIGHEST)
    for _ in range(60):
        one, other = low + (high - low) / 3, high - (high - low) / 3
        low, high = (low, other) if loss(np.exp(one)) <= loss(np.exp(other)) else (one, high)
    count = max(1, len(quantiles) // horizon)
    factor = float(np.exp((low + high) / 2 * count / (count + MORE)))

    def coverage(of: float) -> float:
        ends = center + of * distances[:, [0, -1]]
        return float(((ends[:, :1] <= values) & (values <= ends[:, 1:])).mean())

    return SpreadCalibration(factor, coverage(1.0), coverage(factor), levels[-1] - levels[0])


def calibrate_spread(
    model: keras.Model, batches: Iterable[tuple[Any, ...]], levels: Sequence[float], middle: int
) -> SpreadCalibration | None:
    """Fits a factor to the output `scaled` of a model; see `spread_of`.

    Args:
        model: The model.
        batches: Batches of inputs, and of values (B, H, C) in the same unit, NaN where missing.
        levels: The levels of the quantiles.
        middle: The number of the middle quantile.
    """
    forecasts, values = [], []
    for inputs, labels, *_ in batches:
        outputs = model(keras.tree.map_structure(np.asarray, inputs), training=False)
        forecasts.append(keras.ops.convert_to_numpy(outputs["scaled"]))
        values.append(np.asarray(labels["scaled"] if isinstance(labels, dict) else labels))
    every = np.concatenate(values)
    return spread_of(np.concatenate(forecasts), every, levels, middle, every.shape[1])
