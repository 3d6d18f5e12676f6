"""Forecasts by the time of each step, and the times that forecasts are of."""

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from zoo.data.series.clock import Clock
from zoo.data.series.series import Series, SeriesSet
from zoo.data_statistics import counted

WHOLE_MINUTE = re.compile(r"(\d\d:\d\d):00(?=[+-]|$)")
DIGITS = 7  # of forecasts, which models compute in float32
MORE = 2  # decimals of forecasts than of the values, so that quantiles differ
LAST = 1000  # values whose decimals are looked at


def shown_time(series: Series, clock: Clock, step: int) -> str:
    """The time of a step of a series, without its seconds if they are 0.

    Args:
        series: The series.
        clock: Its clock.
        step: The number of the step, from 0.

    Example:
        >>> shown_time(Series(np.zeros((3, 1)), start=3600), Clock("second", 60), 1)
        '1970-01-01 01:01'
    """
    return WHOLE_MINUTE.sub(r"\1", clock.label(series.start + step * clock.step))


def extent(examples: SeriesSet, origins: np.ndarray) -> str:
    """How many forecasts of how many steps, from when to when.

    Args:
        examples: The series.
        origins: The number of the series and the first step of each forecast, (N, 2).

    Example:
        >>> two = SeriesSet("a", [Series(np.zeros((9, 1)))], ["sales"], horizon=2)
        >>> extent(two, np.array([[0, 5], [0, 7]]))
        '2 forecasts of 2 steps each, from 5 to 8'
    """
    starts = [(examples.series[number], int(step)) for number, step in origins]

    def time(pair: tuple[Series, int]) -> int:
        return pair[0].start + pair[1] * examples.clock.step

    (one, first), (other, last) = min(starts, key=time), max(starts, key=time)
    each = " each" if len(starts) > 1 else ""
    series = len({*origins[:, 0].tolist()})
    several = f", of {series:,} series" if series > 1 else ""
    steps = counted(examples.horizon, "steps")
    return (
        f"{counted(len(starts), 'forecasts')} of {steps}{each}{several}, from "
        f"{shown_time(one, examples.clock, first)} to "
        f"{shown_time(other, examples.clock, last + examples.horizon - 1)}"
    )


def decimals_of(values: np.ndarray) -> int:
    """The most decimals of the last values.

    Args:
        values: Values (T,) in float32, NaN where missing.

    Example:
        >>> decimals_of(np.array([11.7, 3.25, np.nan, 1e-3], "float32")), decimals_of(np.ones(3))
        (3, 0)
    """
    last = np.unique(values[-LAST:][np.isfinite(values[-LAST:])])
    spelled = (np.format_float_positional(each, trim="-") for each in last)
    return max((len(each.partition(".")[2]) for each in spelled), default=DIGITS)


def named_forecast(
    series: Series,
    forecast: np.ndarray,
    clock: Clock,
    targets: Sequence[str],
    levels: Sequence[float],
) -> dict[str, Any]:
    """The quantiles of one series by time; of several targets, with their names before the levels.

    They have two more decimals than the values of the series, and at most seven digits.

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
    decimals = [MORE + decimals_of(column) for column in series.values.T]
    by_time: dict[str, Any] = {}
    for step, row in enumerate(forecast):
        of_targets = [
            {
                f"{level:g}": round(float(f"{x:.{DIGITS}g}"), most)
                for level, x in zip(levels, own.tolist(), strict=True)
            }
            for own, most in zip(row, decimals, strict=True)
        ]
        several = dict(zip(targets, of_targets, strict=True))
        time = clock.label(first + step * clock.step)
        by_time[time] = several if len(targets) > 1 else of_targets[0]
    return by_time
