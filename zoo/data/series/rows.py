"""Whole series in memory, each with something that belongs to it, and what their readers share."""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeGuard

import numpy as np

from zoo.data.examples import ExampleRow
from zoo.data.in_memory import InMemory
from zoo.data.readers.files import Paths, format_of, is_path, name_of, paths_of
from zoo.data.readers.npz import first_of, read_arrays
from zoo.data.readers.source import DataSource
from zoo.data.series.clock import Clock
from zoo.data.series.header import open_series_table
from zoo.data.series.read import as_series, read_series
from zoo.data.series.reading import ReadingOptions
from zoo.data.series.series import VALUES, Series, SeriesLayout, SeriesSet
from zoo.data_statistics import Statistics, counted, with_statistics
from zoo.errors import UserError
from zoo.option_names import option_name

NPZ = ".npz"
VALUE = ["value"]  # the name of the values of series without names
ARRAYS = ("x", "series", "values")  # names of the array of series in an `.npz` file, in this order


@dataclass(frozen=True)
class SeriesRows(InMemory):
    """Base of whole series in memory: a subclass says what belongs to them.

    Args:
        series: The series.
        channels: Names of the values of a step.
        note: Which columns were read, for the log.
        layout: How the table was written.
        clock: The clock of the series.
    """

    series: list[Series]
    channels: list[str]
    note: str = field(default="", kw_only=True)
    layout: SeriesLayout = field(default_factory=SeriesLayout, kw_only=True)
    clock: Clock = field(default_factory=Clock, kw_only=True)

    @property
    def inputs(self) -> dict[str, list[np.ndarray]]:
        return {VALUES: [each.values for each in self.series]}

    def cell_identity(self, cell: Any) -> Hashable:
        return cell.key() if isinstance(cell, Series) else super().cell_identity(cell)

    @property
    def answers(self) -> dict[str, list[Any]]:
        """What belongs to each row, by name of the field; reports show the first of these."""
        raise NotImplementedError

    @property
    def columns(self) -> dict[str, list[Any]]:
        return {"series": self.series, **self.answers}

    def first_rows(self, count: int) -> list[ExampleRow]:
        """The first series, each with its answer, for a report."""
        answers = next(iter(self.answers.values()))
        shown = zip(self.series[:count], answers, strict=False)
        return [ExampleRow(each.name, each, answer) for each, answer in shown]

    @property
    def unlabeled(self) -> SeriesSet:
        """The series without what belongs to them."""
        return SeriesSet(
            self.path,
            self.series,
            self.channels,
            clock=self.clock,
            note=self.note,
            layout=self.layout,
        )

    def described(self, facts: str) -> str:
        """A line for the log.

        Args:
            facts: What belongs to the series.
        """
        lengths = sorted(map(len, self.series))
        steps = " to ".join(f"{length:,}" for length in sorted({lengths[0], lengths[-1]}))
        line = f"{self.path}: {counted(len(self.series), 'series')} of {steps} steps with {facts}"
        return with_statistics("; ".join(filter(None, [line, self.note])), self.statistics)


def series_with_columns(
    data: Any, options: ReadingOptions, names: Sequence[str], option: str
) -> tuple[SeriesSet, list[tuple[str, ...]]]:
    """The series of a table, and of each the cells of columns that do not change within it.

    Args:
        data: The table; see `read_series`.
        options: How it is read; its targets are the values of each step.
        names: The names of these columns.
        option: The option that names them, for messages.

    Raises:
        DataError: If a row is invalid, or a cell changes within a series.
        UserError: If a file is missing or damaged, or a column is missing.
    """
    known = _column_names(data, options.table.encoding)
    for name in names:
        if name not in known:
            raise UserError(
                f"{name_of(data)} has no column {name!r} for {option_name(option)}; its columns "
                f"are {', '.join(known):.200}"
            )
    options = replace(options.with_names(static=",".join(names)), all_values=True)
    table = read_series(data, options)
    cells = [each.static for each in table.series]
    series = [replace(each, static=()) for each in table.series]
    return replace(table, series=series, static=[]), cells


def origin_of(table: SeriesSet) -> dict[str, Any]:
    """How the series of a table were read, as arguments of `SeriesRows`."""
    own = {"layout": table.layout, "clock": table.clock}
    return {"note": table.note, "source": table.source, **own}


def usual_column(data: Any, known: Sequence[str], encoding: str | None, what: str) -> str:
    """The column of a table with one of these names, in lower case, the first of which is taken.

    Args:
        data: The table.
        known: The names.
        encoding: The encoding of a file, or None.
        what: What the column has, for the message, such as "labels".

    Raises:
        UserError: If there is none.
    """
    there = {name.strip().lower(): name for name in _column_names(data, encoding)}
    usual = next((there[name] for name in known if name in there), None)
    if usual is None:
        option = option_name("label_column" if what == "labels" else "target_column")
        raise UserError(f"{name_of(data)} has no column of {what}: name it with {option}")
    return usual


def _column_names(data: Any, encoding: str | None) -> list[str]:
    """The names of the columns of a table; of several files, those of the first."""
    if is_path(data):
        first = paths_of(data)[0]
        if first.is_dir():
            first = next((x for x in sorted(first.iterdir()) if x.is_file()), first)
        names: Iterable[Any] = open_series_table(first, encoding=encoding).names
    else:
        names = data if isinstance(data, dict) else data.columns
    return [str(name) for name in names]


def is_arrays(data: object) -> TypeGuard[Paths]:
    """Whether data are the path of an `.npz` file, or several.

    Raises:
        UserError: If there are other files besides.
    """
    if not is_path(data):
        return False
    kinds = [format_of(each) == NPZ for each in paths_of(data)]
    if any(kinds) and not all(kinds):
        raise UserError(f"{name_of(data)}: .npz files cannot be combined with tables")
    return all(kinds)


def read_array_series(data: Paths) -> SeriesSet:
    """The series of `.npz` files, without labels. Their names are their numbers, from 1.

    Raises:
        UserError: If a file is missing or damaged, or has no array of series.
    """
    path = name_of(data)
    unnamed = [each for file in paths_of(data) for each in series_of(read_arrays(file), file)]
    series = [replace(each, name=str(number)) for number, each in enumerate(unnamed, 1)]
    return SeriesSet(path, series, channels_of(path, series))


def series_of(arrays: dict[str, np.ndarray], file: Path) -> list[Series]:
    """The series of a file, without what fills the shorter ones."""
    x = first_of(ARRAYS, arrays, file)
    if x.ndim not in (2, 3) or x.dtype.kind not in "iuf":
        raise UserError(
            f"{file}: expected numbers {ARRAYS[0]} (N, T) or (N, T, C), got {x.dtype} {x.shape}"
        )
    return [trimmed(as_series(each, f"{file}: series {n}")) for n, each in enumerate(x, 1)]


def trimmed(series: Series) -> Series:
    """Without the steps of NaN before and after it, which make all series of a file as long."""
    there = np.flatnonzero(~np.isnan(series.values).all(axis=1))
    if not len(there):
        raise UserError(f"{series.name} has no values")
    return replace(series, values=series.values[there[0] : there[-1] + 1])


def channels_of(path: str, series: Sequence[Series]) -> list[str]:
    """Names of the values of a step, of which all series must have as many."""
    if not series:
        raise UserError(f"{path} has no series")
    widths = sorted({each.values.shape[1] for each in series})
    if len(widths) > 1:
        raise UserError(f"{path}: all series must have as many values in a step; got {widths}")
    return [f"value {n}" for n in range(1, widths[0] + 1)] if widths[0] > 1 else VALUE


def missing_values(series: Iterable[Series]) -> DataSource:
    """The source of series that were read from arrays: how many values are missing."""
    missing = sum(int(np.isnan(each.values).sum()) for each in series)
    return DataSource(statistics=Statistics({"missing values": missing}))
