"""Facts about whole columns of times: their centuries, and whether they are equally far apart."""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import pairwise

from zoo.data.series.formats import EARLY, DateFormat

Time = datetime | int


def read_cells(given: DateFormat, cells: Sequence[str]) -> list[Time | None]:
    """The times of cells in a format, with years of two digits in the century that is meant.

    Example:
        >>> from zoo.data.series.formats import format_of
        >>> [each.year for each in read_cells(format_of("%y"), ["68", "69"])]
        [1968, 1969]
    """
    usual = [given.read(cell) for cell in cells]
    if not given.is_short:
        return usual
    early = [given.read(cell, EARLY) for cell in cells]
    return early if _span(early) <= _span(usual) else usual


def _span(times: Sequence[Time | None]) -> timedelta:
    """The time from the first to the last."""
    dates = [_naive(each) for each in times if isinstance(each, datetime)]
    return max(dates) - min(dates) if dates else timedelta()


def is_regular(times: Sequence[Time | None]) -> bool:
    """Whether dates are equally far apart, in days or in months."""
    rising = sorted({each for each in times if isinstance(each, datetime)}, key=_naive)
    if len(rising) < 3:
        return False
    months = {(b.year - a.year) * 12 + b.month - a.month for a, b in pairwise(rising)}
    if len({each.day for each in rising}) == 1 and len(months) == 1:
        return True
    gaps = Counter((_naive(b) - _naive(a)).total_seconds() for a, b in pairwise(rising))
    weekends = {86400.0, 259200.0}  # of days of business
    return len(gaps) == 1 or gaps.keys() == weekends


def _naive(time: datetime) -> datetime:
    return time.replace(tzinfo=None)
