"""Tables with a series in each row, whose times are the names of columns, as long tables."""

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pyarrow as pa

from zoo.data.readers.number_columns import has_number_type
from zoo.data.readers.numbers import is_numeric
from zoo.data.readers.table import Table, as_texts
from zoo.data.series.dates import is_date

SERIES, TIME, VALUE = "series", "time", "value"  # names of the columns of the long table
FEWEST = 3  # names of columns that are times
YEAR = re.compile(r"(1[7-9]\d\d|2[0-2]\d\d)( \[YR\1\])?", re.ASCII)  # as the World Bank has it


def times_among(names: Sequence[str]) -> list[str]:
    """The names of columns that are dates, or years one after another, if most are; else none.

    Example:
        >>> times_among(["Country", "1/22/20", "1/23/20", "1/24/20"])
        ['1/22/20', '1/23/20', '1/24/20']
        >>> times_among(["city", "1990", "1991", "1992"]), times_among(["4", "2024", "1987"])
        (['1990', '1991', '1992'], [])
        >>> times_among(["Country", "1990 [YR1990]", "1991 [YR1991]", "1992 [YR1992]"])[0]
        '1990 [YR1990]'
    """
    dates = [name for name in names if is_date(name)]
    years = [name for name in names if YEAR.fullmatch(name.strip())]
    steps = {int(_time(b)) - int(_time(a)) for a, b in pairwise(years)}
    times = max(dates, years if len(steps) == 1 else [], key=len)
    return times if len(times) >= FEWEST and len(times) > len(names) / 2 else []


def as_long(table: Table) -> Table:
    """A table with a row for each time of each series, if its columns are named by times.

    The name of a series is the first cell of its row that no other row has, or else all of its
    texts.

    Args:
        table: Any table, which is returned as it is if its columns have other names.

    Example:
        >>> columns = {"shop": ["a", "b"], "2019": [1, 2], "2020": [3, 4], "2021": [5, 6]}
        >>> as_long(Table("a.csv", pa.table(columns), np.array([2, 3]))).rows()[1]
        ('a', 'a', '2020', '3')
    """
    times = times_among(table.names)
    if not times:
        return table
    others = {name: table.data.column(name) for name in table.names if name not in times}
    rows = np.repeat(np.arange(len(table)), len(times))
    values = [as_texts(table.data.column(name)) for name in times]
    columns = {name: column.take(rows) for name, column in others.items()}
    columns[SERIES] = _texts(_names(others, len(table))).take(rows)
    columns[TIME] = _texts([_time(name) for name in times] * len(table))
    columns[VALUE] = _texts([cell for row in zip(*values, strict=True) for cell in row])
    return replace(table, data=pa.table(columns), lines=table.lines[rows])


def _time(name: str) -> str:
    """The time of a column: its name, or the year in it."""
    year = YEAR.fullmatch(name.strip())
    return year[1] if year else name.strip()


def _names(columns: dict[str, pa.ChunkedArray], rows: int) -> list[str]:
    """The names of the series of rows."""
    cells = {name: [x.strip() for x in as_texts(column)] for name, column in columns.items()}
    unlike = [each for each in cells.values() if all(each) and len({*each}) == len(each)]
    words = [
        each
        for name, each in cells.items()
        if not has_number_type(columns[name]) and not is_numeric(each)
    ]
    if not unlike and not words:
        return [f"row {number}" for number in range(1, rows + 1)]
    if unlike:
        return next((each for each in unlike if each in words), unlike[0])
    parts = zip(*words, strict=True)
    return [", ".join(cell for cell in row if cell) for row in parts]


def _texts(cells: Sequence[str]) -> pa.ChunkedArray:
    return pa.chunked_array([pa.array(cells, pa.string())])
