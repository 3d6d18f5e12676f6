"""Intervals as times: `a - b`, `a/b` of ISO 8601, and `[a, b)`, of which the start counts."""

import re
from collections.abc import Sequence

from zoo.data.series.formats import FORMATS

STARTS = "the starts of intervals"  # what the times are, for the log
ISO_DATE = r"\d{4}-?\d{2}(?:-?\d{2})?(?:[T ][^/]+)?"
# In a form that pages in a browser use as well.
PATTERN = rf"({ISO_DATE})(?:/|--)([^/]+)"
PATTERN += r'|[\[(]\s*"?([^,"]+)"?\s*,\s*"?([^,"]+)"?\s*[\])]'
PATTERN += r"|(.+?)(?:\s+(?:-|to|until|till|bis|au|al|tot)\s+|\s*[–—]\s*)(.+)"
INTERVAL = re.compile(PATTERN, re.IGNORECASE)
# What ends an interval if no date does: a time of day, or the length of the interval.
END = re.compile(r"\d{1,2}[:.]\d{2}([:.]\d{2})?(\s*[a-z]{1,5})?|P[\dTYMWDHS.,]+", re.IGNORECASE)
ZONE = re.compile(r"\s*\(([A-Z]{1,5})\)$")  # as the ENTSO-E writes it
LONGEST = 100  # characters
SEASON = re.compile(r"(\d{4})[-/](\d{2}|\d{4})", re.ASCII)  # two years, one after another
# Two times of day, the second of which can also be an offset from Greenwich.
CLOCKS = re.compile(r"(.*\d\s\d{1,2}:\d{2})-(\d{1,2}:\d{2})", re.ASCII)
FEWEST = 3  # cells that show what a single one does not


def start_of_interval(cell: str) -> str | None:
    """The start of an interval, as it is written; None for a cell that is no interval.

    Example:
        >>> start_of_interval("01.01.2024 00:00 - 01.01.2024 01:00")
        '01.01.2024 00:00'
        >>> start_of_interval("2024-01-01T00:00Z/PT1H"), start_of_interval("2024-01-31 - a note")
        ('2024-01-01T00:00Z', None)
        >>> start_of_interval("1999/2000"), start_of_interval("1999/01")
        ('1999', None)
    """
    if (season := SEASON.fullmatch(cell.strip())) is not None:
        start, end = season.groups()
        return start if int(end) == (int(start) + 1) % 10 ** len(end) else None
    if (parts := _parts(cell)) is None:
        return None
    start, end = parts
    return start if _is_date(start) and (END.fullmatch(end) or _is_date(end)) else None


def starts_of(cells: Sequence[str], first: int) -> list[str] | None:
    """The starts of a column of intervals, other cells as they are; None for another column.

    Args:
        cells: The cells.
        first: How many of those that are not empty say whether these are intervals.

    Example:
        >>> starts_of(["2024-01-01/2024-01-02", "", "?"], 1), starts_of(["2024-01-01"], 1)
        (['2024-01-01', '', '?'], None)
    """
    there = [cell for cell in cells if cell.strip()][:first]
    if len(there) >= FEWEST and all(_is_season(cell) for cell in there):
        return [cell.strip()[:4] if _is_season(cell) else cell for cell in cells]
    clocks = [CLOCKS.fullmatch(cell.strip()) for cell in there]
    if all(clocks) and len({each[2] for each in clocks if each}) >= FEWEST:
        return [CLOCKS.sub(r"\1", cell.strip()) for cell in cells]
    if not there or any(_is_season(x) or start_of_interval(x) is None for x in there):
        return None
    return [cell if (parts := _parts(cell)) is None else parts[0] for cell in cells]


def _is_season(cell: str) -> bool:
    return bool(SEASON.fullmatch(cell.strip())) and start_of_interval(cell) is not None


def _parts(cell: str) -> tuple[str, str] | None:
    """The start and the end of what is written like an interval."""
    if len(cell) > LONGEST or (match := INTERVAL.fullmatch(cell.strip())) is None:
        return None
    start, end = (each.strip() for each in match.groups() if each)
    return ZONE.sub(r" \1", start), ZONE.sub(r" \1", end)


def _is_date(cell: str) -> bool:
    return any(not x.digits and x.read(cell) is not None for x in FORMATS)
