"""Dates as numbers of days, as Excel, R, MATLAB and astronomers count them; decimal years."""

import re
from datetime import datetime, timedelta

import numpy as np

from zoo.data.series.month_names import plain

# Words in the name of a column of dates, without accents.
WORDS = {"date", "dates", "datum", "datetime", "timestamp", "ds", "day", "days", "fecha", "data"}
WORDS |= {"dato", "dag", "tag", "dia", "jour", "giorno", "datenum", "serial", "jd", "mjd", "julian"}
YEARS = WORDS | {"year", "years", "time", "jahr", "annee", "ano", "anno", "jaar", "decimal"}
EPOCH = datetime(1970, 1, 1)
# What the numbers are, the first and the last day, and the number of 1970-01-01.
COUNTS = (
    ("days as Excel counts them", 20_000, 80_000, 25_569.0),
    ("days as MATLAB counts them", 693_962, 767_011, 719_529.0),
    ("Julian days", 2_415_020, 2_488_070, 2_440_587.5),
)
# Of 1985 to 2029: as R and Parquet count them. Excel's would be of 1915 to 1959.
SINCE_1970 = ("days since 1970", 5_479, 21_914, 0.0)
DATES = WORDS & {"date", "dates", "datum", "ds", "fecha", "dato"}
MODIFIED = ("modified Julian days", 20_000, 80_000, 40_587.0)
DAY = 86_400
NEAR = 2  # seconds by which decimals of days may be off


def counts_of(name: str) -> list[tuple[str, int, int, float]]:
    """What numbers of days can be below a name, as in `COUNTS`.

    Example:
        >>> len(counts_of("Order Date")), counts_of("MJD")[0][0], counts_of("step")
        (4, 'modified Julian days', [])
    """
    words = _words(name)
    if "mjd" in words:
        return [MODIFIED, *COUNTS]
    return [*([SINCE_1970] if DATES & words else []), *(COUNTS if WORDS & words else [])]


def are_years(name: str) -> bool:
    """Whether numbers below a name can be decimal years."""
    return bool(YEARS & _words(name))


def dates_of(name: str, numbers: np.ndarray) -> tuple[str, list[str]] | None:
    """What numbers of days are, and their dates as texts; None if they do not seem to.

    Args:
        name: The name of the column.
        numbers: The numbers (rows,), NaN where missing.

    Example:
        >>> dates_of("Date", np.array([45292, 45292.5, np.nan]))
        ('days as Excel counts them', ['2024-01-01 00:00:00', '2024-01-01 12:00:00', ''])
        >>> dates_of("date", np.array([1949, 1949.083, 1949.167]))
        ('decimal years', ['1949-01', '1949-02', '1949-03'])
        >>> dates_of("step", np.array([45292, 45293]))
    """
    there = numbers[~np.isnan(numbers)]
    if not len(there):
        return None
    for what, first, last, start in counts_of(name):
        if ((there >= first) & (there <= last)).all():
            return what, _texts((numbers - start) * DAY)
    if are_years(name) and len(there) == len(numbers):
        for parts, form in ((12, "{}-{:02}"), (4, "{}Q{}")):
            if periods := _periods(numbers, parts):
                return "decimal years", [form.format(*each) for each in periods]
    return None


def _words(name: str) -> set[str]:
    return {*re.findall(r"[^\W\d_]+", plain(name))}


def _texts(seconds: np.ndarray) -> list[str]:
    """Seconds since 1970 as texts, in whole minutes if they are near to these."""
    there = seconds[~np.isnan(seconds)]
    unit = 60 if (np.abs(there - 60 * np.round(there / 60)) <= NEAR).all() else 1
    whole = unit * np.round(seconds / unit)
    days = bool((whole[~np.isnan(whole)] % DAY == 0).all())
    form = "%Y-%m-%d" if days else "%Y-%m-%d %H:%M:%S"
    return ["" if x != x else f"{EPOCH + timedelta(seconds=x):{form}}" for x in whole.tolist()]


def _periods(numbers: np.ndarray, parts: int) -> list[tuple[int, int]]:
    """The year and the month or quarter of decimal years, one after another; else none."""
    if len(numbers) < 3 or (numbers == np.round(numbers)).all() or not _are_years(numbers):
        return []
    counts = np.floor(numbers * parts + 0.05).astype(int)
    if not (np.diff(counts) == 1).all():
        return []
    return [(int(each) // parts, int(each) % parts + 1) for each in counts]


def _are_years(numbers: np.ndarray) -> bool:
    return bool(((numbers >= 1000) & (numbers < 2300)).all())
