"""Reads series from a table: long, with a column of series names, or wide."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from zoo.data.readers.named_columns import NamedColumns
from zoo.data.readers.tables import Table
from zoo.data.series.clock import is_date, parse
from zoo.errors import DataError, UserError

# Usual names of columns, in lower case.
TIME = (
    "time",
    "date",
    "ds",
    "timestamp",
    "datetime",
    "step",
    "month",
    "week",
    "day",
    "year",
    "period",
)
SERIES = ("series", "series_id", "unique_id", "item_id", "id", "item")
TARGET = ("target", "y", "value", "values", "sales", "demand")
USUAL = (*TIME, *SERIES, *TARGET)
MISSING = {"", "nan", "na", "n/a", "null", "none", "?"}
LARGEST = float(np.finfo("float32").max)
BETWEEN = ","  # of several names in an option


@dataclass
class RawSeries:
    """The rows of one series, in their order.

    Args:
        name: Its name.
        path: The file, for messages.
        lines: The line of each row.
        times: The time of each row, from `parse`.
        targets: The targets (T, C), NaN where missing.
        known: The covariates (T, K) that are known in the future.
        static: The values of its static covariates.
    """

    name: str
    path: str
    lines: list[int]
    times: list[Any]
    targets: np.ndarray
    known: np.ndarray
    static: tuple[str, ...]


@dataclass
class RawTable:
    """The series of a table, the names of the columns, and the number of rows that were skipped."""

    series: list[RawSeries]
    targets: list[str]
    known: list[str]
    static: list[str]
    note: str
    skipped: int


def read_series_table(table: Table, name: str, options: Any = None) -> RawTable:
    """Reads the series of a table.

    The time is the column that the options name, or else one with a usual name, or else the only
    one with dates; without such a column, rows are numbered. The name of the series is in the
    column that the options name, or in one with a usual name. The targets are the columns that the
    options name, or else the one with a usual name, or else all other columns of numbers.

    Args:
        table: The table.
        name: The name of the series, if there is no column with names.
        options: Names of columns, and `skip_bad_rows`; see
            `zoo.tasks.options.series_forecaster.SeriesColumns`.

    Raises:
        DataError: If a static covariate changes; or, without `skip_bad_rows`, if a cell is not a
            time or not a number.
        UserError: If a column is missing, or there are no targets.
    """
    skip = bool(getattr(options, "skip_bad_rows", False))
    columns = NamedColumns(table, "series", header=False, skip=skip)
    time_name = columns.find(_option(options, "time"), TIME) or _only_dates(columns, options)
    times = columns.take(time_name or _option(options, "time"), TIME, "time")
    series_name = columns.find(_option(options, "series"), SERIES)
    names = columns.take(_option(options, "series"), SERIES, "series")
    static = {each: columns.take(each, (), "static") or [] for each in _several(options, "static")}
    known = {each: columns.take(each, (), "known") or [] for each in _several(options, "known")}
    targets = _targets(columns, options)
    left = [each for each in columns.left if each.strip()]
    note = f"time = {time_name or 'row number'}, series = {series_name or 'one'}, targets = "
    note += ", ".join(targets)
    for what, found in (("known", known), ("static", static), ("unused", left)):
        note += f", {what} = {', '.join(found)}" if found else ""
    bad: dict[int, str] = {}
    when = _times(time_name, times, bad) if times is not None else None
    numbers = [_numbers(each, cells, bad) for each, cells in targets.items()]
    covariates = [_numbers(each, cells, bad) for each, cells in known.items()]
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
            [when[row] for row in places] if when is not None else list(range(1, len(places) + 1)),
            every[places],
            beside[places] if covariates else np.zeros((len(places), 0), "float32"),
            tuple(_constant(columns, key, cells, places, each) for key, cells in static.items()),
        )
        for each, places in rows.items()
    ]
    skipped = columns.skipped + len(bad)
    return RawTable(series, list(targets), list(known), list(static), note, skipped)


def _option(options: Any, role: str) -> str | None:
    found: str | None = getattr(options, f"{role}_column", None)
    return found


def _several(options: Any, role: str) -> list[str]:
    given = _option(options, role)
    return [name.strip() for name in given.split(BETWEEN)] if given else []


def _only_dates(columns: NamedColumns, options: Any) -> str | None:
    """The only column whose first cells are dates, if no option names another."""
    if _option(options, "time") is not None:
        return None
    dated = [
        name for name, cells in columns.left.items() if all(is_date(cell) for cell in cells[:20])
    ]
    return dated[0] if len(dated) == 1 else None


def _targets(columns: NamedColumns, options: Any) -> dict[str, list[str]]:
    """The cells of each target by name."""
    names = _several(options, "target")
    if not names:
        usual = columns.find(None, TARGET)
        names = [usual] if usual else [x for x, cells in columns.left.items() if is_numeric(cells)]
    if not names:
        listed = ", ".join(columns.left) or "none"
        raise UserError(
            f"{columns.path} has no column of numbers to forecast: name it with target_column; "
            f"the other columns are {listed:.200}"
        )
    return {name: columns.take(name, (), "target") or [] for name in names}


def is_numeric(cells: Sequence[str]) -> bool:
    """Whether the first cells that are not missing are numbers.

    Example:
        >>> is_numeric(["", "7", "2.5"]), is_numeric(["Rome", "7"])
        (True, False)
    """
    first = [cell for cell in cells if cell.strip().lower() not in MISSING][:20]
    try:
        return bool([float(cell) for cell in first])
    except ValueError:
        return False


def _numbers(name: str, cells: Sequence[str], bad: dict[int, str]) -> np.ndarray:
    """The numbers of a column; adds to the reasons of bad rows."""
    found = np.full(len(cells), np.nan)
    for row, cell in enumerate(cells):
        if cell.lower() in MISSING:
            continue
        try:
            value = float(cell)
        except ValueError:
            value = np.inf
        if abs(value) <= LARGEST:
            found[row] = value
        else:
            reason = f"{name} must be a finite number, or empty if missing, got {cell!r:.40}"
            bad.setdefault(row, reason)
    return found


def _times(name: str | None, cells: Sequence[str], bad: dict[int, str]) -> list[Any]:
    """The times of a column, None where there is none; adds to the reasons of bad rows."""
    found: list[Any] = []
    first = None
    for row, cell in enumerate(cells):
        try:
            found.append(parse(cell))
            first = first if first is not None else (found[-1], cell)
            if type(found[-1]) is not type(first[0]):
                raise ValueError(f"expected times like {first[1]!r:.40}, got {cell!r:.40}")
        except (ValueError, OverflowError) as error:
            found[row:] = [None]
            bad[row] = f"{name}: {error}"
    return found


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
