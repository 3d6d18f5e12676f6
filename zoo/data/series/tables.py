"""Reads series from a table: long, with a column of series names, or wide."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np

from zoo.data.readers.named_columns import NamedColumns
from zoo.data.readers.tables import Table
from zoo.data.series.dates import EXPECTED, Times, Undecided, are_dates, read_times
from zoo.data.series.numbers import is_numeric, read_numbers
from zoo.data.series.reading import ReadingOptions
from zoo.data.series.time_column import TIME, TimeColumn
from zoo.data_statistics import LOGGER
from zoo.errors import DataError, UserError
from zoo.option_names import option_name

# Usual names of columns, in lower case.
SERIES = ("series", "series_id", "unique_id", "item_id", "id", "item")
TARGET = ("target", "y", "value", "values", "sales", "demand")
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
        cells: The cells of all other columns by name.
        time: The times; None if rows are numbered.
        names: Names of the columns of times and of series, if there are any.
    """

    series: list[RawSeries]
    targets: list[str]
    known: list[str]
    static: list[str]
    note: str
    skipped: int
    cells: dict[str, list[str]]
    time: Times | None
    names: tuple[str | None, str | None]


def read_series_table(table: Table, name: str, options: ReadingOptions) -> RawTable:
    """Reads the series of a table.

    The time is the column that the options name, or else one with a usual name, or else the only
    one with dates, or else columns of years and months; without such a column, rows are numbered.
    The name of the series is in the column that the options name, or in one with a usual name. The
    targets are the columns that the options name, or else the one with a usual name, or else all
    other columns of numbers.

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
    skip = options.skip_bad_rows
    columns = NamedColumns(table, "series", header=False, skip=skip)
    layout = options.layout
    time = TimeColumn.of(columns, options.time_column or _there(columns, layout.time))
    named = options.series_column or _there(columns, layout.series)
    series_name = columns.find(named, SERIES)
    names = columns.take(named, SERIES, "series")
    static, known = (
        {each: columns.take(each, (), role) or [] for each in options.named(role)}
        for role in ("static", "known")
    )
    cells = dict(columns.left)
    targets = _targets(columns, options)
    left = [each for each in columns.left if each.strip()]
    _warn_of_dates(columns, time)
    named_time = time.name or "the column without a name" if time else "row number"
    note = f"time = {named_time}, series = {series_name or 'one'}, targets = "
    note += ", ".join(targets)
    for what, found in (("known", known), ("static", static), ("unused", left)):
        note += f", {what} = {', '.join(found)}" if found else ""
    bad: dict[int, str] = {}
    times = _read(columns.path, time, options) if time else None
    when = _times(time.name, times, time.cells, bad) if time and times else None
    numbers = [read_numbers(each, cells, bad) for each, cells in targets.items()]
    covariates = [read_numbers(each, cells, bad) for each, cells in known.items()]
    if bad and not skip:
        raise DataError(columns.path, columns.lines[min(bad)], bad[min(bad)])
    rows = _rows_of_series(names or [name] * len(columns.lines), bad)
    if not rows:
        raise UserError(f"{columns.path} has no valid row; the first: {bad[min(bad)]}")
    every = np.array(numbers, "float32").T
    beside = np.array(covariates, "float32").reshape(len(covariates), len(columns.lines)).T
    series = [
        RawSeries(
            each,
            columns.path,
            [columns.lines[row] for row in places],
            places,
            [when[row] for row in places] if when is not None else list(range(1, len(places) + 1)),
            every[places],
            beside[places] if covariates else np.zeros((len(places), 0), "float32"),
            tuple(_constant(columns, key, cells, places, each) for key, cells in static.items()),
        )
        for each, places in rows.items()
    ]
    skipped = columns.skipped + len(bad)
    used = time.name if time else None, series_name
    return RawTable(
        series, list(targets), list(known), list(static), note, skipped, cells, times, used
    )


def _there(columns: NamedColumns, name: str | None) -> str | None:
    return name if name in columns.left else None


def _read(path: str, time: TimeColumn, options: ReadingOptions) -> Times:
    try:
        return read_times(time.cells, options.date_format, options.layout.day_first)
    except Undecided as error:
        raise Undecided(f"{path}: {time.name}: {error}") from None
    except ValueError as error:
        raise UserError(str(error)) from None


def _warn_of_dates(columns: NamedColumns, time: TimeColumn | None) -> None:
    """Warns of columns of dates that are not used."""
    dated = [name for name, cells in columns.left.items() if are_dates(cells[:20])]
    if dated:
        instead = f"the times are {time.name}" if time else "rows are numbered"
        LOGGER.warning(
            f"{columns.path}: the dates of {', '.join(dated)} are not used, {instead}; "
            f"--time-column names another column, such as {dated[0]}"
        )


def _targets(columns: NamedColumns, options: ReadingOptions) -> dict[str, list[str]]:
    """The cells of each target by name."""
    names = options.named("target")
    if not names and options.targets and {*options.targets} <= columns.left.keys():
        names = [*options.targets]
    if not names:
        usual = columns.find(None, TARGET)
        names = [usual] if usual else [x for x, cells in columns.left.items() if is_numeric(cells)]
    if not names:
        listed = ", ".join(columns.left) or "none"
        raise UserError(
            f"{columns.path} has no column of numbers to forecast: name it with "
            f"{option_name('target_column')}; "
            f"the other columns are {listed:.200}"
        )
    return {name: columns.take(name, (), "target") or [] for name in names}


def _times(name: str, found: Times, cells: Sequence[str], bad: dict[int, str]) -> list[Any]:
    """The times of a column, None where there is none; adds to the reasons of bad rows."""
    first = next((row for row, time in enumerate(found.values) if time is not None), None)
    like = EXPECTED if first is None else f"times like {cells[first]!r:.40}"
    zoned = first is not None and _has_zone(found.values[first])
    for row, time in enumerate(found.values):
        if time is None or _has_zone(time) != zoned:
            bad[row] = f"{name}: expected {like}, got {cells[row]!r:.40}"
    return found.values


def _has_zone(time: Any) -> bool:
    return isinstance(time, datetime) and time.tzinfo is not None


def _rows_of_series(names: Sequence[str], bad: Collection[int]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for row, name in enumerate(names):
        if row not in bad:
            found.setdefault(name, []).append(row)
    return found


def _constant(
    columns: NamedColumns, name: str, cells: Sequence[str], places: list[int], series: str
) -> str:
    """The value of a static covariate in the rows of one series."""
    for row in places:
        if cells[row] != cells[places[0]]:
            reason = f"{name} of series {series!r:.40} is {cells[row]!r:.40}, and was "
            reason += f"{cells[places[0]]!r:.40}; it must not change within a series"
            raise DataError(columns.path, columns.lines[row], reason)
    return cells[places[0]]
