"""Times that are regular but for parts of a second."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any

HALF = timedelta(seconds=0.5)


def rounded(columns: Sequence[Sequence[Any]]) -> list[list[datetime]] | None:
    """The times of series to whole seconds, if only these have equal steps; None for others.

    Args:
        columns: The times of each series.

    Example:
        >>> times = [datetime(2024, 1, 1, 10, 0, 0, 3000), datetime(2024, 1, 1, 10, 0, 59, 998000)]
        >>> times.append(datetime(2024, 1, 1, 10, 2))
        >>> [str(time.time()) for time in rounded([times])[0]]
        ['10:00:00', '10:01:00', '10:02:00']
    """
    every = [time for column in columns for time in column]
    if not any(isinstance(time, datetime) and time.microsecond for time in every):
        return None
    if len(_steps(columns)) < 2:
        return None
    whole = [[(time + HALF).replace(microsecond=0) for time in column] for column in columns]
    steps = _steps(whole)
    return whole if len(steps) == 1 and steps.pop() > timedelta() else None


def _steps(columns: Sequence[Sequence[Any]]) -> set[timedelta]:
    return {after - before for column in columns for before, after in pairwise(column)}
