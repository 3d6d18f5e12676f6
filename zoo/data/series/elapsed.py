"""Times that have passed since a beginning, in seconds with decimals, as numbers of steps."""

import re

import numpy as np

from zoo.data.series.month_names import plain

# Words of which the name of such a column is made, without accents.
WORDS = {"t", "time", "times", "timestamp", "elapsed", "since", "start", "in", "zeit", "temps"}
WORDS |= {"second", "seconds", "sec", "secs", "s", "ms", "us", "millis", "milliseconds", "minutes"}
WORDS |= {"sekunde", "sekunden", "secondes", "segundos", "tiempo", "tempo", "tijd", "tid", "min"}
FEWEST = 3  # times
OFF = 0.05  # of a step by which a time may be off


def is_elapsed(name: str) -> bool:
    """Whether a column of this name can have such times.

    Example:
        >>> is_elapsed("Time (s)"), is_elapsed("elapsed_ms"), is_elapsed("response time")
        (True, True, False)
    """
    words = {*re.findall(r"[^\W\d_]+", plain(name))}
    return bool(words) and words <= WORDS


def steps_of(numbers: np.ndarray) -> tuple[str, list[str]] | None:
    """What the steps are, and the number of the step of each time; None if they are not even.

    Args:
        numbers: The times (rows,), NaN where missing.

    Example:
        >>> steps_of(np.array([0.5, 0.6, 0.7, 0.9]))
        ('steps of 0.1', ['5', '6', '7', '9'])
        >>> steps_of(np.array([0.5, 0.6, 0.75])) is None, steps_of(np.array([3.5, 1, 2])) is None
        (True, True)
    """
    gaps = np.diff(numbers)
    rising = gaps[gaps > 0]
    if len(numbers) < FEWEST or np.isnan(numbers).any() or len(rising) < 0.9 * len(gaps):
        return None
    step = float(np.median(rising))
    near = rising[np.abs(rising - step) < OFF * step]
    if not len(near):
        return None
    step = float(near.mean())  # without rounding
    counts = np.round(gaps / step)
    if np.abs(counts * step - gaps).max() > OFF * step:
        return None
    steps = np.cumsum([np.round(numbers[0] / step), *counts])
    return f"steps of {step:.4g}", [str(int(each)) for each in steps]
