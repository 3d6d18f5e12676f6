"""Reads series with labels: from tables, from `.npz` files, or from memory."""

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeAlias, TypeGuard

import numpy as np

from zoo.data.examples import ExampleRow
from zoo.data.in_memory import InMemory
from zoo.data.readers.files import Paths, format_of, is_path, name_of, paths_of
from zoo.data.readers.memory_tables import TableInMemory
from zoo.data.readers.npz import read_arrays
from zoo.data.readers.source import DataSource
from zoo.data.series.clock import Clock
from zoo.data.series.header import open_series_table
from zoo.data.series.read import as_series, is_table, read_series
from zoo.data.series.reading import DEFAULT, ReadingOptions
from zoo.data.series.series import VALUES, Series, SeriesLayout, SeriesSet
from zoo.data_statistics import Statistics, counted, with_statistics
from zoo.errors import UserError
from zoo.option_names import option_name

NPZ = ".npz"
LABEL = ("label", "class", "category", "activity")  # usual names of the column, in lower case
# The names under which series and labels are found in an `.npz` file, in this order.
ARRAYS, CLASSES = ("x", "series", "values"), ("y", "labels", "label")


# Files, a table, or rows of a series, as `read_series` takes it, and its label.
LabeledSeriesData: TypeAlias = "Paths | LabeledSeries | TableInMemory | Iterable[tuple[Any, str]]"


@dataclass(frozen=True)
class LabeledSeries(InMemory):
    """Series with their labels.

    Args:
        series: The series.
        labels: The label of each.
        channels: Names of the values of a step.
        note: Which columns were read, for the log.
        layout: How the table was written.
        clock: The clock of the series.
    """

    series: list[Series]
    labels: list[str]
    channels: list[str]
    note: str = ""
    layout: SeriesLayout = field(default_factory=SeriesLayout)
    clock: Clock = field(default_factory=Clock)

    @property
    def columns(self) -> dict[str, list[Any]]:
        return {"series": self.series, "labels": self.labels}

    @property
    def inputs(self) -> dict[str, list[np.ndarray]]:
        return {VALUES: [each.values for each in self.series]}

    def cell_identity(self, cell: Series | str) -> Hashable:
        return cell.key() if isinstance(cell, Series) else cell

    def first_rows(self, count: int) -> list[ExampleRow]:
        """The first series, for a report."""
        shown = zip(self.series[:count], self.labels, strict=False)
        return [ExampleRow(each.name, each, label) for each, label in shown]

    @property
    def unlabeled(self) -> SeriesSet:
        """The series without their labels."""
        return SeriesSet(
            self.path,
            self.series,
            self.channels,
            clock=self.clock,
            note=self.note,
            layout=self.layout,
        )

    def __str__(self) -> str:
        lengths = sorted(map(len, self.series))
        steps = " to ".join(f"{length:,}" for length in sorted({lengths[0], lengths[-1]}))
        facts = f"{self.path}: {counted(len(self.series), 'series')} of {steps} steps with "
        facts += counted(len(set(self.labels)), "labels")
        return with_statistics("; ".join(filter(None, [facts, self.note])), self.statistics)


def read_labeled_series(
    data: LabeledSeriesData, options: ReadingOptions = DEFAULT, label: str | None = None
) -> LabeledSeries:
    """Reads series with labels.

    Args:
        data: A table with a row for each step and columns of the names of series and of labels, a
            folder of tables, an `.npz` file, a list of `pathlib.Path`, a data frame or a dictionary
            of columns; or a list of (series, label), where a series is an array or a `Series`.
        options: How a table is read; its targets are the values.
        label: Name of the column of labels. Default: a usual name.

    Raises:
        DataError: If a row is invalid, or a label changes within a series.
        UserError: If a file is missing or damaged, or a column is missing.

    Example:
        >>> found = read_labeled_series([([1.0, 2.0, 3.0], "up"), ([3.0, 2.0], "down")])
        >>> print(found)
        data in memory: 2 series of 2 to 3 steps with 2 labels
    """
    if isinstance(data, LabeledSeries):
        return data
    path = name_of(data)
    if is_arrays(data):
        return _of_arrays(paths_of(data), path)
    if is_table(data):
        return _of_table(data, label, options, path)
    return _of_rows(data, path)


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
    unnamed = [each for file in paths_of(data) for each in _series_of(read_arrays(file), file)]
    series = [replace(each, name=str(number)) for number, each in enumerate(unnamed, 1)]
    return SeriesSet(path, series, _channels(path, series))


def _of_table(data: Any, label: str | None, options: ReadingOptions, path: str) -> LabeledSeries:
    label = label or _usual_label(data, options.table.encoding)
    if label is None:
        raise UserError(
            f"{path} has no column of labels: name it with {option_name('label_column')}"
        )
    table = read_series(data, options.with_names(static=label))
    labels = [each.static[0] for each in table.series]
    for each in table.series:
        if not each.static[0]:
            raise UserError(f"{path}: series {each.name!r:.40} has no label")
    series = [replace(each, static=()) for each in table.series]
    return LabeledSeries(
        path,
        series,
        labels,
        table.targets,
        table.note,
        table.layout,
        table.clock,
        source=table.source,
    )


def _usual_label(data: Any, encoding: str | None) -> str | None:
    """The column with a usual name."""
    if is_path(data):
        first = paths_of(data)[0]
        if first.is_dir():
            first = next((x for x in sorted(first.iterdir()) if x.is_file()), first)
        names: Iterable[Any] = open_series_table(first, encoding=encoding).names
    else:
        names = data if isinstance(data, dict) else data.columns
    known = {str(name).strip().lower(): str(name) for name in names}
    return next((known[name] for name in LABEL if name in known), None)


def _of_arrays(files: list[Path], path: str) -> LabeledSeries:
    series, labels = [], []
    for file in files:
        arrays = read_arrays(file)
        series_of_file, y = _series_of(arrays, file), _first_of(CLASSES, arrays, file)
        if y.shape != (len(series_of_file),):
            raise UserError(f"{file}: expected {CLASSES[0]} ({len(series_of_file)}), got {y.shape}")
        series += series_of_file
        labels += y.astype(str).tolist()
    return _checked(path, series, labels)


def _series_of(arrays: dict[str, np.ndarray], file: Path) -> list[Series]:
    """The series of a file, without what fills the shorter ones."""
    x = _first_of(ARRAYS, arrays, file)
    if x.ndim not in (2, 3) or x.dtype.kind not in "iuf":
        raise UserError(
            f"{file}: expected numbers {ARRAYS[0]} (N, T) or (N, T, C), got {x.dtype} {x.shape}"
        )
    return [_trimmed(as_series(each, f"{file}: series {n}")) for n, each in enumerate(x, 1)]


def _first_of(names: tuple[str, ...], arrays: dict[str, np.ndarray], path: Path) -> np.ndarray:
    chosen = next((name for name in names if name in arrays), None)
    if chosen is None:
        raise UserError(f"{path} has no array {names[0]}; its arrays are {', '.join(arrays)}")
    return arrays[chosen]


def _trimmed(series: Series) -> Series:
    """Without the steps of NaN before and after it, which make all series of a file as long."""
    there = np.flatnonzero(~np.isnan(series.values).all(axis=1))
    if not len(there):
        raise UserError(f"{series.name} has no values")
    return replace(series, values=series.values[there[0] : there[-1] + 1])


def _of_rows(data: Any, path: str) -> LabeledSeries:
    series, labels = [], []
    for number, row in enumerate(data, 1):
        if not isinstance(row, tuple | list) or len(row) != 2 or not isinstance(row[1], str):
            raise UserError(f"{path}: row {number} must be (series, label), got {row!r:.60}")
        series.append(as_series(row[0], f"series {number}"))
        labels.append(row[1])
    return _checked(path, series, labels)


def _checked(path: str, series: list[Series], labels: list[str]) -> LabeledSeries:
    channels = _channels(path, series)
    missing = sum(int(np.isnan(each.values).sum()) for each in series)
    statistics = Statistics({"missing values": missing})
    return LabeledSeries(path, series, labels, channels, source=DataSource(statistics=statistics))


def _channels(path: str, series: list[Series]) -> list[str]:
    """Names of the values of a step, of which all series must have as many."""
    if not series:
        raise UserError(f"{path} has no series")
    widths = sorted({each.values.shape[1] for each in series})
    if len(widths) > 1:
        raise UserError(f"{path}: all series must have as many values in a step; got {widths}")
    return [f"value {n}" for n in range(1, widths[0] + 1)] if widths[0] > 1 else ["value"]
