"""The column of times of a table: named, with a usual name, or with the first dates."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from zoo.data.readers.column_finder import ColumnFinder
from zoo.data.readers.table import as_texts, is_text
from zoo.data.series.dates import is_date
from zoo.data.series.elapsed import is_elapsed, steps_of
from zoo.data.series.formats import full_years
from zoo.data.series.intervals import STARTS, starts_of
from zoo.data.series.part_names import CLOCK, DATES, part_of, parts_among
from zoo.data.series.rare_dates import rare_format
from zoo.data.series.serial_days import are_years, counts_of, dates_of
from zoo.data.series.starts import start_of
from zoo.data.series.time_of_day import days, is_time_of_day, joined
from zoo.data.series.value_columns import has_dates, has_numbers, numbers_of
from zoo.errors import UserError
from zoo.option_names import option_name

BETWEEN = ", "  # of several names of columns
# Usual names, in lower case, the most usual first.
TIME = (
    *(
        "time",
        "date",
        "ds",
        "timestamp",
        "datetime",
        "date_time",
        "datenum",
        "step",
        "quarter",
        "datum",
    ),
    *("month", "week", "day", "year", "period"),
)
FIRST = 20  # number of cells that say whether a column has dates


@dataclass(frozen=True)
class TimeColumn:
    """A column of times.

    Args:
        name: Its name, or the names of the columns that it is made of.
        column: The column.
        counted: What its cells were, such as Julian days or intervals; empty for dates.
    """

    name: str
    column: pa.ChunkedArray
    counted: str = ""

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
        if given is not None:
            name = columns.find(given, TIME)
            if name is None and "," in given:
                return _of_names(columns, [part.strip() for part in given.split(",")])
            return _whole(columns, name or given)
        name, dated = columns.find(None, TIME), _dated(columns)
        if pair := _day_and_time(columns, name, dated):
            return _joined(columns, pair)
        if name not in dated:
            if not dated and (parts := _parts(columns)):
                return parts
            start = start_of({each: columns.left[each] for each in dated})
            name = name if start is None else start
        if name is None:
            counted = (x for x, y in columns.left.items() if _counts_days(x, y) or _passes(x, y))
            name = next(counted, None)
        return None if name is None else _whole(columns, name)


def _whole(columns: ColumnFinder, name: str) -> TimeColumn:
    """The times of one column, also of numbers of days, or of intervals."""
    column = columns.take(name, TIME, "time", required=True)
    assert column is not None
    if is_text(column) and (starts := starts_of(as_texts(column), FIRST)) is not None:
        return TimeColumn(name, _column(starts), STARTS)
    dated = has_dates(column.slice(0, FIRST)) or not has_numbers(column)
    if dated or rare_format(as_texts(column)):
        return TimeColumn(name, column)
    numbers = numbers_of(name, column, {})
    counted, dates = dates_of(name, numbers) or ("", None)
    if dates is None and (numbers % 1 > 0).any():
        counted, dates = steps_of(numbers) or ("", None)
    return TimeColumn(name, column if dates is None else _column(dates), counted)


def _counts_days(name: str, column: pa.ChunkedArray) -> bool:
    """Whether a column has numbers of days that rise, below the name of a column of dates."""
    if not (counts_of(name) or are_years(name)) or not has_numbers(column):
        return False
    numbers = numbers_of(name, column, {})
    return dates_of(name, numbers) is not None and bool((np.diff(numbers[:FIRST]) >= 0).all())


def _passes(name: str, column: pa.ChunkedArray) -> bool:
    """Whether a column has times since a beginning, which rise evenly."""
    is_named = is_elapsed(name) and has_numbers(column)
    return is_named and steps_of(numbers_of(name, column, {})) is not None


def _dated(columns: ColumnFinder) -> list[str]:
    """The columns of dates that are not all equal; numbers such as ids only without others."""
    dated = [x for x, column in columns.left.items() if has_dates(column.slice(0, FIRST))]
    varied = [x for x in dated if pc.count_distinct(columns.left[x]).as_py() > 1] or dated
    written = [x for x in varied if any(map(is_date, as_texts(columns.left[x].slice(0, FIRST))))]
    return written or varied


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
    times = _times_of_day(columns, but=day)
    needed = len({*cells}) < len(cells) or name in times
    return [day, times[0]] if times and needed else []


def _of_names(columns: ColumnFinder, names: Sequence[str]) -> TimeColumn:
    """The times of columns that the user named."""
    if part_of(names[0]) in DATES and len({*map(part_of, names)} - {None}) >= 2:
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
    parts = parts_among([*columns.left])
    year, ordinal = parts.get("year"), parts.get("day of year")
    within = [parts.get(each) for each in ("month", "quarter")]
    if year is None or not (any(within) or ordinal) or not _are_years(columns.left[year]):
        return None
    if within[0]:
        names = [year, within[0], *([parts["day"]] if "day" in parts else [])]
    else:
        names = [year, within[1] or ordinal or ""]
    has_day = len(names) == 3 or names[1] == ordinal
    cells = [_taken(columns, name) for name in names]
    cells[0] = full_years(cells[0])
    numbers = all(cell.isdigit() for cell in cells[1])
    if names[1] == ordinal:
        cells[1] = [cell and cell.zfill(3) for cell in cells[1]]
    between = "Q" if names[1] == within[1] and numbers else "-" if numbers else " "
    dates = [between.join(each) for each in zip(*cells, strict=True)]
    clock = [parts[each] for each in CLOCK if each in parts] if has_day else []
    if has_day and not clock:
        clock = _times_of_day(columns)[:1]
    if clock:
        times = ([cell.zfill(2) for cell in _taken(columns, name)] for name in clock)
        dates = joined(dates, [":".join(each) for each in zip(*times, strict=True)])
    return TimeColumn(BETWEEN.join([*names, *clock]), _column(dates))


def _are_years(column: pa.ChunkedArray) -> bool:
    """Whether the first cells are years of two or four digits."""
    cells = [cell.strip().removesuffix(".0") for cell in as_texts(column.slice(0, FIRST))]
    return all(cell.isdigit() and len(cell) in (2, 4) for cell in cells if cell)


def _taken(columns: ColumnFinder, name: str) -> list[str]:
    cells = columns.take_texts(name, (), "time") or []
    return [cell.removesuffix(".0") for cell in cells]


def _times_of_day(columns: ColumnFinder, but: str = "") -> list[str]:
    """The names of the columns of times of day."""
    return [
        each
        for each, column in columns.left.items()
        if each != but and is_time_of_day(each, as_texts(column.slice(0, FIRST)))
    ]


def _column(cells: Sequence[str]) -> pa.ChunkedArray:
    return pa.chunked_array([pa.array(cells, pa.string())])
