"""Reads series: from files, from folders, or from memory."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from zoo.data.readers.files import format_of, is_path, name_of, paths_of
from zoo.data.readers.tables import READERS, Table, table_in_memory
from zoo.data.series.clock import Clock
from zoo.data.series.header import open_table
from zoo.data.series.series import Series, SeriesSet
from zoo.data.series.tables import RawSeries, RawTable, read_series_table
from zoo.data_statistics import Statistics
from zoo.errors import DataError, UserError
from zoo.untrusted import check_inside

GAPS = 10  # maximum number of missing steps for each step that is there
ARRAY = "an array (T,) or (T, C) of numbers, NaN where missing"


def read_series(data: Any, options: Any = None) -> SeriesSet:
    """Reads series.

    Args:
        data: A table, a folder of tables, a pattern, a list of `pathlib.Path`, a data frame or a
            dictionary of columns; or an array, a `Series`, or a list of these. Without a column of
            names, the name of a file is that of its series.
        options: Names of columns; see `zoo.tasks.options.series_forecaster.SeriesColumns`.

    Returns:
        The `SeriesSet`. Steps without a row are missing.

    Raises:
        DataError: If a row is invalid, or times are out of order or twice in one series.
        UserError: If a file is missing, or has an unknown format, or a column is missing.

    Example:
        >>> rows = {"ds": ["2024-01-01", "2024-01-02", "2024-01-04"], "y": [3.0, 5.0, None]}
        >>> found = read_series(rows)
        >>> found.series[0].values.ravel().tolist(), found.clock.label(found.series[0].start)
        ([3.0, 5.0, nan, nan], '2024-01-01')
    """
    if isinstance(data, SeriesSet):
        return data
    path = name_of(data)
    if is_path(data):
        opened = _opened(data, options)
        return _regular([read_series_table(*each, options) for each in opened], path)
    if (table := table_in_memory(data)) is not None:
        return _regular([read_series_table(table, "series", options)], path)
    given = [data] if isinstance(data, np.ndarray | Series) else data
    series = [as_series(each, f"series {number}") for number, each in enumerate(given, 1)]
    if not series:
        raise UserError(f"{path} has no series")
    widths = {each.values.shape[1] for each in series}
    if len(widths) > 1:
        raise UserError(f"{path}: all series must have as many targets; got {sorted(widths)}")
    return SeriesSet(
        series,
        path,
        _numbered("value", widths.pop()),
        _numbered("known", _only_width(path, "known", series)),
        _numbered("static", _only_width(path, "static", series)),
        statistics=_missing(series),
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
        UserError: If it is neither, or a value is infinite.
    """
    if isinstance(given, Series):
        return given
    try:
        values = np.asarray(given, "float32")
    except (TypeError, ValueError):
        values = np.zeros(())
    values = values[:, None] if values.ndim == 1 else values
    if values.ndim != 2 or not values.size:
        raise UserError(f"{name} must be {ARRAY}, got {given!r:.60}")
    if np.isinf(values).any():
        raise UserError(f"{name} must be {ARRAY}, got an infinite one")
    return Series(values, name)


def _opened(data: Any, options: Any) -> Iterator[tuple[Table, str]]:
    """The tables of files and folders, each with the name of the file."""
    given = [getattr(options, f"{role}_column", None) for role in ("time", "series")]
    named = [*filter(None, given)]
    for role in ("target", "known", "static"):
        named += [x.strip() for x in (getattr(options, f"{role}_column", None) or "").split(",")]
    for path in paths_of(data):
        for file in _files(path) if path.is_dir() else [path]:
            yield open_table(file, [*filter(None, named)]), file.name.split(".")[0]


def _files(folder: Path) -> list[Path]:
    found = sorted(each for each in folder.iterdir() if format_of(each) in READERS)
    if not found:
        raise UserError(f"{folder} has no tables: expected {', '.join(READERS)} files")
    for each in found:
        check_inside(each, folder)
    return found


def _regular(tables: Sequence[RawTable], path: str) -> SeriesSet:
    """The series of tables, at the times of one clock."""
    first, raw = tables[0], [each for table in tables for each in table.series]
    for table in tables[1:]:
        for what in ("targets", "known", "static"):
            if getattr(table, what) != getattr(first, what):
                found, wanted = (", ".join(getattr(t, what)) or "none" for t in (table, first))
                where = table.series[0].path
                raise UserError(f"{where} has the {what} {found}; files before it have {wanted}")
    places: dict[str, str] = {}
    for each in raw:
        if each.name in places:
            message = f"{each.path}: the series {each.name!r:.40} is in {places[each.name]}, too"
            raise UserError(message)
        places[each.name] = each.path
        if type(each.times[0]) is not type(raw[0].times[0]):
            raise DataError(each.path, each.lines[0], "expected times like those of other series")
    clock = Clock.of([each.times for each in raw])
    series, absent = [], 0
    for each in raw:
        counts = [clock.count(time) for time in each.times]
        _check_order(each, counts, clock)
        made = _on_grid(each, counts, clock, bool(first.known))
        absent += max(len(made), len(made.known) if made.known is not None else 0) - len(counts)
        series.append(made)
    skipped = {"bad rows skipped": sum(table.skipped for table in tables)}
    statistics = _missing(series) + Statistics({"steps without a row": absent, **skipped})
    return SeriesSet(
        series,
        path,
        first.targets,
        first.known,
        first.static,
        clock,
        note=first.note,
        statistics=statistics,
    )


def _check_order(raw: RawSeries, counts: Sequence[int], clock: Clock) -> None:
    lines = {counts[0]: raw.lines[0]}
    for row, (before, after) in enumerate(pairwise(counts), 1):
        label, name = clock.label(after), f"series {raw.name!r:.40}"
        if after in lines:
            reason = f"{name} has the time {label} in line {lines[after]}, too"
            raise DataError(raw.path, raw.lines[row], reason)
        lines[after] = raw.lines[row]
        if after < before:
            reason = f"{name}: the time {label} is before {clock.label(before)} in line "
            reason += f"{raw.lines[row - 1]}; sort the rows by time"
            raise DataError(raw.path, raw.lines[row], reason)
        if (after - counts[0]) % clock.step:
            reason = f"{name}: the time {label} does not fit times {clock} from "
            raise DataError(raw.path, raw.lines[row], reason + clock.label(counts[0]))


def _on_grid(raw: RawSeries, counts: Sequence[int], clock: Clock, known: bool) -> Series:
    """The series with a row for each step; rows of future covariates are apart."""
    steps = (np.array(counts) - counts[0]) // clock.step
    length = int(steps[-1]) + 1
    if length > GAPS * len(steps) + GAPS:
        reason = f"series {raw.name!r:.40} has {len(steps)} rows for {length} times {clock}"
        raise DataError(raw.path, raw.lines[-1], f"{reason}; expected regular times")
    values, beside = (
        np.full((length, part.shape[1]), np.nan, "float32") for part in (raw.targets, raw.known)
    )
    values[steps], beside[steps] = raw.targets, raw.known
    if known:  # the rows after the last target are the future
        there = np.flatnonzero(~np.isnan(values).all(axis=1))
        values = values[: there[-1] + 1 if len(there) else 0]
    return Series(values, raw.name, beside if known else None, raw.static, counts[0])


def _missing(series: Sequence[Series]) -> Statistics:
    return Statistics({"missing values": int(sum(np.isnan(x.values).sum() for x in series))})


def is_table(data: Any) -> bool:
    """Whether data are files, a data frame or columns, and not a list of arrays."""
    return is_path(data) or isinstance(data, Mapping | SeriesSet) or hasattr(data, "columns")
