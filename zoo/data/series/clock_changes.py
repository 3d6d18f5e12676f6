"""The hour that comes twice when clocks are put back, in times that are written without a zone."""

from collections.abc import Sequence
from datetime import date, datetime, timedelta
from itertools import pairwise
from typing import Any

from zoo.data.series.clock import HOUR, SECOND, Clock

APART = timedelta(days=300)  # between two years' changes, at least
MONTHS = {3, 4, 5, 9, 10, 11}  # in which clocks are put back, south or north of the equator
WEEKEND = {5, 6}
HOURS = {23, 0, 1, 2, 3}  # of the day, which can come twice


def second_hours(times: Sequence[Any], clock: Clock) -> list[int]:
    """The rows of hours that come a second time since clocks are put back.

    They are told from other repeated times by their day, in spring or autumn and on a weekend, and
    by their hour, in the night, of which most times come twice. Without them, all times rise.

    Args:
        times: The times of a series, in the order of its rows.
        clock: Its clock.

    Returns:
        The rows; none if the clock has longer steps than an hour or zones, or if a time is out of
        order or there twice for another reason.

    Example:
        >>> sunday = [datetime(2024, 10, 27, hour) for hour in (0, 1, 2, 2, 3)]
        >>> monday = [datetime(2024, 10, 28, hour) for hour in (0, 1, 2, 2, 3)]
        >>> [second_hours(times, Clock(SECOND, HOUR)) for times in (sunday, monday)]
        [[3], []]
    """
    if clock.unit != SECOND or clock.step > HOUR or clock.zone:
        return []
    seen: set[datetime] = set()
    days: dict[date, list[datetime]] = {}
    rows = []
    latest = None
    for row, time in enumerate(times):
        if time in seen:
            rows.append(row)
            days.setdefault(time.date(), []).append(time)
        elif latest is not None and time < latest:
            return []
        else:
            seen.add(time)
            latest = time
    far = all(b - a >= APART for a, b in pairwise(sorted(days)))
    return rows if far and all(_is_change(each, clock.step) for each in days.values()) else []


def _is_change(times: Sequence[datetime], step: int) -> bool:
    """Whether times that repeat on one day are an hour in which clocks are put back."""
    first, hours = times[0], {time.hour for time in times}
    usual = first.month in MONTHS and first.weekday() in WEEKEND and first.hour in HOURS
    whole = len(set(times)) == len(times) and 2 * len(times) * step >= HOUR
    return usual and len(hours) == 1 and whole


def is_turned(times: Sequence[Any]) -> bool:
    """Whether the rows of a series are newest first, but for an hour that comes twice.

    Args:
        times: Its times, numbers or dates.

    Example:
        >>> is_turned([3, 2, 1]), is_turned([3, 1, 2])
        (True, False)
    """
    if times[0] <= times[-1]:
        return False
    rises = [(a, b) for a, b in pairwise(times) if a < b]
    dates = isinstance(times[0], datetime)
    return all(dates and a.date() == b.date() and b.hour in HOURS and
               b - a < timedelta(seconds=HOUR) for a, b in rises)  # fmt: skip
