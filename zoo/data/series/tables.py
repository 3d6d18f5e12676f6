"""The reader of series in a table: long, with a column of series names, or wide."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np
import pyarrow as pa

from zoo.data.readers.column_finder import ColumnFinder, check_rows
from zoo.data.readers.table import Table, as_texts
from zoo.data.series.dates import EXPECTED, OtherCalendar, Times, Undecided, resemble_dates
from zoo.data.series.reading import ReadingOptions
from zoo.data.series.targets import TARGET, take_targets, without_markers
from zoo.data.series.time_column import BETWEEN, FIRST, TIME, TimeColumn
from zoo.data.series.value_columns import has_dates, has_numbers, numbers_of, times_of
from zoo.data.series.wide import as_long
from zoo.data_statistics import LOGGER
from zoo.errors import DataError, UserError
from zoo.option_names import option_name

# Usual names of columns, in lower case.
SERIES = ("series", "series_id", "unique_id", "item_id", "id", "item")
TIME_OF_DAY = re.compile(r"\d{1,2}:\d{2}")
USUAL = (*TIME, *SERIES, *TARGET)


@dataclass
class RawSeries:
    """The rows of one series, in their order.

    Args:
        name: Its name.
        path: The file, for messages.
        lines: The line of each row.
        rows: The number of each row in the table, from 0.
        times: The time of each row: a whole number or a date.
        targets: The targets (T, C), NaN where missing.
        known: The covariates (T, K) that are known in the future.
        static: The values of its static covariates.
    """

    name: str
    path: str
    lines: list[int]
    rows: list[int]
    times: list[Any]
    targets: np.ndarray
    known: np.ndarray
    static: tuple[str, ...]


@dataclass
class RawTable:
    """The series of a table.

    Args:
        series: The series.
        targets: Names of the targets.
        known: Names of the covariates that are known in the future.
        static: Names of the static covariates.
        note: Which columns were read, for the log.
        skipped: Number of rows that were skipped.
        others: All other columns by name.
        time: The times; None if rows are numbered.
        names: Names of the columns of times and of series, if there are any.
    """

    series: list[RawSeries]
    targets: list[str]
    known: list[str]
    static: list[str]
    note: str
    skipped: int
    others: dict[str, pa.ChunkedArray]
    time: Times | None
    names: tuple[str | None, str | None]


def read_series_table(table: Table, name: str, options: ReadingOptions) -> RawTable:
    """Reads the series of a table.

    If columns have the names of times, each row is a series. Otherwise, the time is the column that
    the options name, or else one with a usual name, or else the only one with dates, or else
    columns of years and months; without such a column, rows are numbered. Days that repeat go with
    a column of times of day. The name of the series is in the column that the options name,
    or in one with a usual name. The targets are the columns that the options name, or else the one
    with a usual name, or else all other columns of numbers; see `take_targets`.

    Args:
        table: The table.
        name: The name of the series, if there is no column with names.
        options: Names of columns, and how to read them.

    Raises:
        DataError: If a static covariate changes; or, without `skip_bad_rows`, if a cell is not a
            time or not a number.
        Undecided: If the order of day and month cannot be decided.
        UserError: If a column is missing, or there are no targets.
    """
    table, skipped = table.without_bad(options.table.skip_bad_rows)
    check_rows(table, header=False)
    table = as_long(table)
    columns = ColumnFinder(table, "series")
    layout = options.layout
    time = TimeColumn.of(columns, options.table.names.time or _there(columns, layout.time))
    named = options.table.names.series or _there(columns, layout.series)
    series_name = columns.find(named, SERIES)
    names = columns.take_texts(named, SERIES, "series")
    static = {x: columns.take_texts(x, (), "static") or [] for x in options.named("static")}
    known = _taken(columns, options.named("known"), "known")
    others = dict(columns.left)
    bad: dict[int, str] = {}
    times = _read(columns.path, time, options) if time else None
    when = _times(time, times, bad) if time and times else None
    rows_of = names or [name] * len(table)
    targets = take_targets(columns, options, rows_of, when or ())
    left = [each for each in columns.left if each.strip()]
    _warn_of_dates(columns, time)
    named_time = _described(time) if time else "row number"
    note = f"time = {named_time}, series = {series_name or 'one'}, targets = {', '.join(targets)}"
    for what, each in (("known", known), ("static", static), ("unused", left)):
        note += f", {what} = {', '.join(each)}" if each else ""
    numbers = [
        without_markers(table.path, each, numbers_of(each, column, bad))
        for each, column in targets.items()
    ]
    covariates = [numbers_of(each, column, bad) for each, column in known.items()]
    lines: list[int] = table.lines.tolist()
    if bad and not options.table.skip_bad_rows:
        raise DataError(table.path, lines[min(bad)], bad[min(bad)])
    rows = _rows_of_series(rows_of, bad)
    if not rows:
        raise UserError(f"{table.path} has no valid row; the first: {bad[min(bad)]}")
    every = np.array(numbers, "float32").T
    beside = np.array(covariates, "float32").reshape(len(covariates), len(lines)).T
    series = [
        RawSeries(
            each,
            table.path,
            [lines[row] for row in indices],
            indices,
            [when[row] for row in indices] if when else list(range(1, len(indices) + 1)),
            every[indices],
            beside[indices],
            tuple(_constant(table, key, cells, indices, each) for key, cells in static.items()),
        )
        for each, indices in rows.items()
    ]
    used = time.name if time else None, series_name
    return RawTable(
        series,
        list(targets),
        list(known),
        list(static),
        note,
        skipped + len(bad),
        others,
        times,
        used,
    )


def _there(columns: ColumnFinder, name: str | None) -> str | None:
    """A name of the training data, or several, if the table has such columns."""
    names = [name] if name is None or name in columns.left else name.split(BETWEEN)
    return name if {*names} <= columns.left.keys() else None


def _read(path: str, time: TimeColumn, options: ReadingOptions) -> Times:
    try:
        return times_of(time.column, options.date_format, options.layout.day_first)
    except Undecided as error:
        raise Undecided(f"{path}: {time.name}: {error}") from None
    except OtherCalendar as error:
        raise UserError(f"{path}: {time.name}: {error}") from None
    except ValueError as error:
        raise UserError(str(error)) from None


def _described(time: TimeColumn) -> str:
    name = time.name or "the column without a name"
    return f"{name} ({time.counted})" if time.counted else name


def _warn_of_dates(columns: ColumnFinder, time: TimeColumn | None) -> None:
    """Warns of columns of dates that are not used."""
    dated = [x for x, column in columns.left.items() if has_dates(column.slice(0, FIRST))]
    if dated:
        instead = f"the times are {time.name}" if time else "rows are numbered"
        LOGGER.warning(
            f"{columns.path}: the dates of {', '.join(dated)} are not used, {instead}; "
            f"--time-column names another column, such as {dated[0]}"
        )
    unread = [x for x, column in columns.left.items() if _resembles(column)]
    if unread and not dated and time is None:
        LOGGER.warning(
            f"{columns.path}: rows are numbered, and {', '.join(unread)} may have dates in a form "
            "that is not read: write dates like 2024-01-31, or name their form with "
            f"--date-format and the column with --time-column {unread[0]}"
        )


def _resembles(column: pa.ChunkedArray) -> bool:
    return not has_numbers(column) and resemble_dates(as_texts(column.slice(0, FIRST)))


def _taken(columns: ColumnFinder, names: Sequence[str], role: str) -> dict[str, pa.ChunkedArray]:
    taken = {name: columns.take(name, (), role) for name in names}
    return {name: column for name, column in taken.items() if column is not None}


def _times(time: TimeColumn, times: Times, bad: dict[int, str]) -> list[Any]:
    """The times of a column, None where there is none; adds to the reasons of bad rows."""
    first = next((row for row, each in enumerate(times.values) if each is not None), None)
    zoned = first is not None and _has_zone(times.values[first])
    wrong = [
        row for row, each in enumerate(times.values) if each is None or _has_zone(each) != zoned
    ]
    cells = [cell.strip() for cell in as_texts(time.column)] if wrong else []
    for row in wrong:
        like = EXPECTED if first is None else f"times like {cells[first]!r:.40}"
        bad[row] = f"{time.name}: expected {like}, got {cells[row]!r:.40}"
        if TIME_OF_DAY.match(cells[row]):
            bad[row] += f"; {option_name('time_column')} DAY,TIME names the column of days, too"
    return times.values


def _has_zone(time: Any) -> bool:
    return isinstance(time, datetime) and time.tzinfo is not None


def _rows_of_series(names: Sequence[str], bad: Collection[int]) -> dict[str, list[int]]:
    rows: dict[str, list[int]] = {}
    for row, name in enumerate(names):
        if row not in bad:
            rows.setdefault(name, []).append(row)
    return rows


def _constant(table: Table, name: str, cells: Sequence[str], rows: list[int], series: str) -> str:
    """The value of a static covariate in the rows of one series."""
    for row in rows:
        if cells[row] != cells[rows[0]]:
            reason = f"{name} of series {series!r:.40} is {cells[row]!r:.40}, and was "
            reason += f"{cells[rows[0]]!r:.40}; it must not change within a series"
            raise DataError(table.path, int(table.lines[row]), reason)
    return cells[rows[0]]
