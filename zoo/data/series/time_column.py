"""The column of times of a table: named, with a usual name, or the only one with dates."""

from dataclasses import dataclass

import pyarrow as pa

from zoo.data.readers.column_finder import ColumnFinder
from zoo.data.series.value_columns import has_dates

PARTS, QUARTER = ("year", "month", "day"), "quarter"  # names of columns that make a date together
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
            given: The name that the user gave, or None.

        Raises:
            UserError: If there is no column of this name.
        """
        name = columns.find(given, TIME)
        if given is None:
            dated = [x for x, column in columns.left.items() if has_dates(column.slice(0, FIRST))]
            if name is None or (name not in dated and name.strip().lower() in (*PARTS, QUARTER)):
                if parts := _parts(columns):
                    return parts
                name = dated[0] if len(dated) == 1 else name
        column = columns.take(given if name is None else name, TIME, "time")
        return cls(name, column) if name is not None and column is not None else None


def _parts(columns: ColumnFinder) -> TimeColumn | None:
    """The dates that columns of years and months, and maybe of days, make together."""
    year, month, day, quarter = (columns.find(None, [part]) for part in (*PARTS, QUARTER))
    if year is None or (month or quarter) is None:
        return None
    names = [name for name in ((year, month, day) if month else (year, quarter)) if name]
    cells = [columns.take_texts(name, (), "time") or [] for name in names]
    parts = [[cell.removesuffix(".0") for cell in each] for each in cells]
    numbers = all(cell.isdigit() for cell in parts[1])
    between = "Q" if not month and numbers else "-" if numbers else " "
    dates = [between.join(each) for each in zip(*parts, strict=True)]
    return TimeColumn(", ".join(names), pa.chunked_array([pa.array(dates, pa.string())]))
