"""The reader of series: from files, from folders, or from memory."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from zoo.data.readers.files import Paths, format_of, is_path, name_of, paths_of
from zoo.data.readers.memory_tables import TableInMemory, table_in_memory
from zoo.data.readers.numbers import LARGEST, TOO_LARGE
from zoo.data.readers.source import DataSource
from zoo.data.readers.tables import TABLE_FORMATS
from zoo.data.series.clock import Clock
from zoo.data.series.clock_changes import second_hours
from zoo.data.series.dates import Undecided
from zoo.data.series.duplicates import ERROR, MEAN
from zoo.data.series.header import open_series_table
from zoo.data.series.jitter import rounded
from zoo.data.series.order import check_order, merged, oldest_first
from zoo.data.series.reading import DEFAULT, ROLES, ReadingOptions
from zoo.data.series.series import Series, SeriesLayout, SeriesSet
from zoo.data.series.tables import RawSeries, RawTable, read_series_table
from zoo.data_statistics import Statistics
from zoo.errors import DataError, UserError
from zoo.untrusted import check_inside

GAPS = 10  # maximum number of missing steps for each step that is there
# Files, a table, or series: each a `Series`, or what NumPy makes an array of.
SeriesData = Paths | SeriesSet | TableInMemory | np.ndarray | Series | Iterable[Any]
BOTH = "averaged with its first row (to keep both, write times with offsets, such as +02:00)"
ARRAY = "an array (T,) or (T, C) of numbers, NaN where missing"


def read_series(data: SeriesData, options: ReadingOptions = DEFAULT) -> SeriesSet:
    """Reads series.

    Args:
        data: A table, a folder of tables, a pattern, a list of `pathlib.Path`, a data frame or a
            dictionary of columns; or an array, a `Series`, or a list of these. Without a column of
            names, the name of a file is that of its series.
        options: How a table is read.

    Returns:
        The `SeriesSet`. Steps without a row are missing.

    Raises:
        DataError: If a row is invalid, or times are out of order or twice in one series. Rows
            that are newest first are put in order.
        UserError: If a file is missing, or has an unknown format, or a column is missing.

    Example:
        >>> rows = {"ds": ["2024-01-01", "2024-01-02", "2024-01-04"], "y": [3.0, None, 5.0]}
        >>> data = read_series(rows)
        >>> data.series[0].values.ravel().tolist(), data.clock.label(data.series[0].start)
        ([3.0, nan, nan, 5.0], '2024-01-01')
    """
    if isinstance(data, SeriesSet):
        return data
    path = name_of(data)
    if is_path(data):
        return _regular(_read_all(_files_of(data), options), path, options)
    if (table := table_in_memory(data)) is not None:
        try:
            return _regular([read_series_table(table, "series", options)], path, options)
        except Undecided as error:
            raise UserError(str(error)) from None
    given: Any = [data] if isinstance(data, np.ndarray | Series) else data
    series = [as_series(each, f"series {number}") for number, each in enumerate(given, 1)]
    if not series:
        raise UserError(f"{path} has no series")
    widths = {each.values.shape[1] for each in series}
    if len(widths) > 1:
        raise UserError(f"{path}: all series must have as many targets; got {sorted(widths)}")
    return SeriesSet(
        path,
        series,
        _numbered("value", widths.pop()),
        _numbered("known", _only_width(path, "known", series)),
        _numbered("static", _only_width(path, "static", series)),
        source=DataSource(statistics=_missing(series)),
    )


def _only_width(path: str, what: str, series: Sequence[Series]) -> int:
    """How many covariates all series have."""
    parts = [getattr(each, what) for each in series]
    widths = {0 if x is None else x.shape[1] if what == "known" else len(x) for x in parts}
    if len(widths) > 1:
        raise UserError(f"{path}: all series must have as many {what} covariates")
    return widths.pop()


def _numbered(name: str, count: int) -> list[str]:
    return [name] if count == 1 else [f"{name} {number}" for number in range(1, count + 1)]


def as_series(given: Any, name: str = "series") -> Series:
    """A series from a `Series`, or from an array of its values.

    Raises:
        UserError: If it is neither, or a value is infinite or too large.
    """
    if isinstance(given, Series):
        return given
    try:
        with np.errstate(over="ignore"):
            values = np.asarray(given, "float32")
    except (TypeError, ValueError):
        values = np.zeros(())
    values = values[:, None] if values.ndim == 1 else values
    if values.ndim != 2 or not values.size:
        raise UserError(f"{name} must be {ARRAY}, got {given!r:.60}")
    if np.isinf(values).any():
        raise UserError(f"{name} must be {ARRAY}, got an infinite one")
    if (np.abs(values) > LARGEST).any():
        raise UserError(f"{name} has the value {values[np.abs(values) > LARGEST][0]:g}{TOO_LARGE}")
    return Series(values, name)


def _read_all(files: Sequence[Path], options: ReadingOptions) -> list[RawTable]:
    """The series of each file. What cannot be decided of dates in one is as in the others."""
    tables: dict[Path, RawTable] = {}
    undecided: dict[Path, Undecided] = {}
    for file in files:
        try:
            tables[file] = _read_file(file, options)
        except Undecided as reason:
            undecided[file] = reason
            continue
        if not options.targets and not options.named("target"):  # which are those of the first
            options = replace(options, targets=tuple(tables[file].targets))
    orders = {each.time.day_first for each in tables.values() if each.time} - {None}
    for file, error in undecided.items():
        if len(orders) != 1:
            raise UserError(str(error)) from None
        layout = replace(options.layout, day_first=orders == {True})
        tables[file] = _read_file(file, replace(options, layout=layout))
    return [tables[file] for file in files]


def _read_file(file: Path, options: ReadingOptions) -> RawTable:
    named = [*options.targets, *(name for role in ROLES for name in options.named(role))]
    table = open_series_table(file, named, options.table.encoding).read()
    return read_series_table(table, file.name.split(".")[0], options)


def _files_of(data: Paths) -> list[Path]:
    """The files of paths and folders."""
    return [f for path in paths_of(data) for f in (_files(path) if path.is_dir() else [path])]


def _files(folder: Path) -> list[Path]:
    files = sorted(each for each in folder.iterdir() if format_of(each) in TABLE_FORMATS)
    if not files:
        raise UserError(f"{folder} has no tables: expected {', '.join(TABLE_FORMATS)} files")
    for each in files:
        check_inside(each, folder)
    return files


def _regular(tables: Sequence[RawTable], path: str, options: ReadingOptions) -> SeriesSet:
    """The series of tables, at the times of one clock."""
    first = tables[0]
    tables = [first, *(_like(table, first) for table in tables[1:])]
    given = [each for table in tables for each in table.series]
    tables = [replace(table, series=[*map(oldest_first, table.series)]) for table in tables]
    raw = [each for table in tables for each in table.series]
    turned = sum(len(a.times) for a, b in zip(given, raw, strict=True) if a is not b)
    paths: dict[str, str] = {}
    for each in raw:
        if each.name in paths:
            message = f"{each.path}: the series {each.name!r:.40} is in {paths[each.name]}, too"
            raise UserError(message)
        paths[each.name] = each.path
        if type(each.times[0]) is not type(raw[0].times[0]):
            raise DataError(each.path, each.lines[0], "expected times like those of other series")
    tables, count = _without_jitter(tables)
    raw = [each for table in tables for each in table.series]
    style = first.time.style if first.time else ""
    clock = Clock.of([each.times for each in raw], style, options.clock)
    series, absent, ahead, repeated, hours = [], 0, 0, 0, 0
    how = options.duplicates
    for table in tables:
        for rows in table.series:
            second = len(second_hours(rows.times, clock)) if how == ERROR else 0
            each = (
                rows
                if how == ERROR and not second
                else merged(rows, clock, MEAN if second else how)
            )
            hours += second
            repeated += len(rows.times) - len(each.times) - second
            counts = [clock.count(time) for time in each.times]
            check_order(each, counts, clock, table)
            made = _on_grid(each, counts, clock, bool(first.known))
            steps = (counts[-1] - counts[0]) // clock.step + 1
            absent += steps - len(counts)
            if not first.known:
                ahead += steps - len(made)
            series.append(made)
    counted = {
        "steps without a row": absent,
        "steps without a value at the end, which count as steps to forecast": ahead,
        "rows of a time that is there before": repeated,
        f"rows of the hour that comes twice as clocks are put back, {BOTH}": hours,
        "rows put in order, which were newest first": turned,
        "times rounded to whole seconds": count,
        "bad rows skipped": sum(table.skipped for table in tables),
    }
    orders = [x.time.day_first for x in tables if x.time and x.time.day_first is not None]
    return SeriesSet(
        path,
        series,
        first.targets,
        first.known,
        first.static,
        clock,
        note=first.note,
        source=DataSource(statistics=_missing(series) + Statistics(counted)),
        layout=SeriesLayout(*first.names, options.date_format, orders[0] if orders else None),
    )


def _without_jitter(tables: Sequence[RawTable]) -> tuple[list[RawTable], int]:
    """Tables with times to whole seconds if these are regular, and how many times changed."""
    columns = [each.times for table in tables for each in table.series]
    if (whole := rounded(columns)) is None:
        return [*tables], 0
    pairs = zip(columns, whole, strict=True)
    changed = sum(a != b for old, new in pairs for a, b in zip(old, new, strict=True))
    left = iter(whole)
    return [
        replace(table, series=[replace(each, times=next(left)) for each in table.series])
        for table in tables
    ], changed


def _like(table: RawTable, first: RawTable) -> RawTable:
    """A table with its columns in the order of another one.

    Raises:
        UserError: If it has other columns.
    """
    for what in ("targets", "known", "static"):
        own, wanted = getattr(table, what), getattr(first, what)
        if sorted(own) != sorted(wanted):
            listed, other = (", ".join(names) or "none" for names in (own, wanted))
            where = table.series[0].path
            raise UserError(f"{where} has the {what} {listed}; files before it have {other}")
    order = [table.targets.index(name) for name in first.targets]
    series = [replace(each, targets=each.targets[:, order]) for each in table.series]
    return replace(table, series=series, targets=first.targets)


def _on_grid(raw: RawSeries, counts: Sequence[int], clock: Clock, known: bool) -> Series:
    """The series with a row for each step, up to the last value; rows after it are the future."""
    steps = (np.array(counts) - counts[0]) // clock.step
    length = int(steps[-1]) + 1
    if length > GAPS * len(steps) + GAPS:
        reason = f"series {raw.name!r:.40} has {len(steps)} rows for {length} times {clock}"
        raise DataError(raw.path, raw.lines[-1], f"{reason}; expected regular times")
    values, beside = (
        np.full((length, part.shape[1]), np.nan, "float32") for part in (raw.targets, raw.known)
    )
    values[steps], beside[steps] = raw.targets, raw.known
    there = np.flatnonzero(~np.isnan(values).all(axis=1))
    if known or len(there):
        values = values[: there[-1] + 1 if len(there) else 0]
    return Series(values, raw.name, beside if known else None, raw.static, counts[0])


def _missing(series: Sequence[Series]) -> Statistics:
    return Statistics({"missing values": int(sum(np.isnan(x.values).sum() for x in series))})


def is_table(data: object) -> bool:
    """Whether data are files, a data frame or columns, and not a list of arrays."""
    return is_path(data) or isinstance(data, Mapping | SeriesSet) or hasattr(data, "columns")
