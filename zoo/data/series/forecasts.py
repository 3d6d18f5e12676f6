"""Forecasts by the time of each step and the level of each quantile."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from zoo.data.series.clock import Clock
from zoo.data.series.series import Series


def named_forecast(
    series: Series,
    forecast: np.ndarray,
    clock: Clock,
    targets: Sequence[str],
    levels: Sequence[float],
) -> dict[str, Any]:
    """The quantiles of one series by time; of several targets, with their names before the levels.

    Args:
        series: The series.
        forecast: Quantiles (H, C, Q) of its next steps.
        clock: Its clock.
        targets: Names of the C targets.
        levels: Levels of the Q quantiles.

    Example:
        >>> series = Series(np.zeros((3, 1)), start=5)
        >>> named_forecast(series, np.array([[[1.5]]]), Clock(), ["sales"], [0.5])
        {'8': {'0.5': 1.5}}
    """
    first = series.start + len(series) * clock.step
    by_time: dict[str, Any] = {}
    for step, row in enumerate(forecast):
        of_targets = [
            {f"{level:g}": float(f"{x:.7g}") for level, x in zip(levels, own.tolist(), strict=True)}
            for own in row
        ]
        several = dict(zip(targets, of_targets, strict=True))
        time = clock.label(first + step * clock.step)
        by_time[time] = several if len(targets) > 1 else of_targets[0]
    return by_time
