"""The column of times of a table: named, with a usual name, or the only one with dates."""

from collections.abc import Sequence
from dataclasses import dataclass

import pyarrow as pa

from zoo.data.readers.column_finder import ColumnFinder
from zoo.data.readers.table import as_texts
from zoo.data.series.time_of_day import days, is_time_of_day, joined
from zoo.data.series.value_columns import has_dates
from zoo.errors import UserError
from zoo.option_names import option_name

# Names of columns that make a time together.
PARTS, QUARTER, CLOCK = ("year", "month", "day"), "quarter", ("hour", "minute", "second")
BETWEEN = ", "  # of several names of columns
# Usual names, in lower case, the most usual first.
TIME = (
    *("time", "date", "ds", "timestamp", "datetime", "date_time", "step", "quarter", "datum"),
    *("month", "week", "day", "year", "period"),
)
FIRST = 20  # number of cells that say whether a column has dates


@dataclass(frozen=True)
class TimeColumn:
    """A column of times.

    Args:
        name: Its name, or the names of the columns that it is made of.
        column: The column.
    """

    name: str
    column: pa.ChunkedArray

    @classmethod
    def of(cls, columns: ColumnFinder, given: str | None) -> "TimeColumn | None":
        """Takes the times from the columns of a table; None if there are none.

        Args:
            columns: The columns.
            given: The name that the user gave, or those of a day and a time of day with a comma
                between; or None.

        Raises:
            UserError: If there is no column of this name.
        """
        name = columns.find(given, TIME)
        if given is not None:
            if name is None and "," in given:
                return _of_names(columns, [part.strip() for part in given.split(",")])
        else:
            dated = [x for x, column in columns.left.items() if has_dates(column.slice(0, FIRST))]
            if pair := _day_and_time(columns, name, dated):
                return _joined(columns, pair)
            if name is None or (name not in dated and name.strip().lower() in (*PARTS, QUARTER)):
                if parts := _parts(columns):
                    return parts
                name = dated[0] if len(dated) == 1 else name
        column = columns.take(given if name is None else name, TIME, "time")
        return cls(name, column) if name is not None and column is not None else None


def _day_and_time(columns: ColumnFinder, name: str | None, dated: Sequence[str]) -> list[str]:
    """The names of a column of days that repeat and of one of times of day; empty without both.

    Args:
        columns: The columns.
        name: The column of a usual name.
        dated: The columns of dates.
    """
    if name not in dated and len(dated) != 1:
        return []
    day = name if name in dated else dated[0]
    assert day is not None
    cells = as_texts(columns.left[day])
    first = days(cells[:FIRST])
    if any(":" in cell for cell in first):
        return []
    times = [
        each
        for each, column in columns.left.items()
        if each != day and is_time_of_day(each, as_texts(column.slice(0, FIRST)))
    ]
    needed = len({*cells}) < len(cells) or name in times
    return [day, times[0]] if times and needed else []


def _of_names(columns: ColumnFinder, names: Sequence[str]) -> TimeColumn:
    """The times of columns that the user named."""
    lower = [name.lower() for name in names]
    if lower[0] == PARTS[0] and {*lower[1:]} <= {*PARTS, QUARTER, *CLOCK}:
        if parts := _parts(columns):
            return parts
    if len(names) != 2:
        raise UserError(
            f"{option_name('time_column')} takes a column, or a column of days and one of times of "
            f"day with a comma between; got {BETWEEN.join(names)}"
        )
    return _joined(columns, names)


def _joined(columns: ColumnFinder, names: Sequence[str]) -> TimeColumn:
    """The times of a column of days and one of times of day."""
    cells = [columns.take_texts(name, (), "time") or [] for name in names]
    return TimeColumn(BETWEEN.join(names), _column(joined(*cells)))


def _parts(columns: ColumnFinder) -> TimeColumn | None:
    """The dates that columns of years and months, maybe of days and hours, make together."""
    year, month, day, quarter = (columns.find(None, [part]) for part in (*PARTS, QUARTER))
    if year is None or (month or quarter) is None:
        return None
    names = [name for name in ((year, month, day) if month else (year, quarter)) if name]
    clock = [name for part in CLOCK if day and (name := columns.find(None, [part]))]
    cells = [columns.take_texts(name, (), "time") or [] for name in names]
    parts = [[cell.removesuffix(".0") for cell in each] for each in cells]
    numbers = all(cell.isdigit() for cell in parts[1])
    between = "Q" if not month and numbers else "-" if numbers else " "
    dates = [between.join(each) for each in zip(*parts, strict=True)]
    if clock:
        times = [columns.take_texts(name, (), "time") or [] for name in clock]
        padded = ([cell.removesuffix(".0").zfill(2) for cell in each] for each in times)
        dates = joined(dates, [":".join(each) for each in zip(*padded, strict=True)])
    return TimeColumn(BETWEEN.join([*names, *clock]), _column(dates))


def _column(cells: Sequence[str]) -> pa.ChunkedArray:
    return pa.chunked_array([pa.array(cells, pa.string())])
