"""The column of starts among several columns of dates, such as those of starts and of ends."""

import re
from collections.abc import Mapping
from datetime import datetime

import pyarrow as pa

from zoo.data.series.dates import OtherCalendar, Time
from zoo.data.series.month_names import plain
from zoo.data.series.value_columns import times_of

LOOKED_AT = 1000  # first rows
# Words in the names of such columns, without accents.
WORDS = {"start", "starts", "begin", "begins", "beginning", "from", "since", "utc", "gmt"}
WORDS |= {"von", "anfang", "beginn", "ab", "debut", "depuis", "inicio", "desde", "inizio", "da"}
WORDS |= {"dal", "van", "vanaf", "fra", "fran", "od", "poczatek", "zacatek", "alku", "baslangic"}
WORDS |= {"начало", "с", "开始", "開始"}


def start_of(columns: Mapping[str, pa.ChunkedArray]) -> str | None:
    """The first column whose times are never after those of the others; None without one.

    Where times cannot be compared, it is the only one with a name such as `start` or `from`.

    Args:
        columns: The columns of dates by name.

    Example:
        >>> end, start = ["2024-01-02", "2024-01-03"], ["2024-01-01", "2024-01-02"]
        >>> start_of({"b": pa.chunked_array([end]), "a": pa.chunked_array([start])})
        'a'
    """
    if len(columns) < 2:
        return next(iter(columns), None)
    named = [name for name in columns if WORDS & {*re.findall(r"[^\W\d_]+", plain(name))}]
    if len(named) == 1:
        return named[0]
    try:
        times = {
            name: times_of(column.slice(0, LOOKED_AT), day_first=True).values
            for name, column in columns.items()
        }
    except OtherCalendar:  # which is refused where it is read
        return None
    for name, own in times.items():
        if all(_never_after(own, other) for other in times.values()):
            return name
    return None


def _never_after(own: list[Time | None], other: list[Time | None]) -> bool:
    """Whether no time is after the other of its row; False if they cannot be compared."""
    pairs = [(a, b) for a, b in zip(own, other, strict=True) if a is not None and b is not None]
    try:
        return all(a <= b for a, b in pairs if isinstance(a, datetime) and isinstance(b, datetime))
    except TypeError:  # of a time with a zone and one without
        return False
