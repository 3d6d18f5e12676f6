"""The reader of series with labels: from tables, `.npz` files, or memory."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from zoo.data.labels import LabelRows
from zoo.data.readers.files import Paths, name_of, paths_of
from zoo.data.readers.memory_tables import TableInMemory
from zoo.data.readers.npz import first_of, read_arrays
from zoo.data.readers.row_weights import row_weights
from zoo.data.series.archives import Archive, is_archive, read_archive
from zoo.data.series.read import as_series, is_table
from zoo.data.series.reading import DEFAULT, ReadingOptions
from zoo.data.series.rows import (
    SeriesRows,
    channels_of,
    is_arrays,
    missing_values,
    origin_of,
    series_of,
    series_with_columns,
    usual_column,
)
from zoo.data.series.series import Series
from zoo.data_statistics import counted
from zoo.errors import UserError
from zoo.option_names import option_name

LABEL = ("label", "class", "category", "activity")  # usual names of the column, in lower case
CLASSES = ("y", "labels", "label")  # names of the array of labels in an `.npz` file, in this order

# Files, a table, or rows of a series, as `read_series` takes it, and its label.
LabeledSeriesData: TypeAlias = "Paths | LabeledSeries | TableInMemory | Iterable[tuple[Any, str]]"


@dataclass(frozen=True)
class LabeledSeries(LabelRows, SeriesRows):
    """Series with their labels.

    Args:
        labels: The label of each.
        weights: The weight of each in the loss; None if all weigh the same.
    """

    labels: list[str]
    weights: list[float] | None = None

    def __str__(self) -> str:
        return self.described(counted(len(set(self.labels)), "labels"))


def read_labeled_series(
    data: LabeledSeriesData,
    options: ReadingOptions = DEFAULT,
    label: str | None = None,
    weight: str | None = None,
) -> LabeledSeries:
    """Reads series with labels.

    Args:
        data: A table with a row for each step and columns of the names of series and of labels, a
            folder of tables, an `.npz` file, a table or a `.ts` file with a series in each row
            (see `is_archive`), a list of `pathlib.Path`, a data frame or a dictionary
            of columns; or a list of (series, label), where a series is an array or a `Series`.
        options: How a table is read; its targets are the values.
        label: Name of the column of labels. Default: a usual name.
        weight: Name of the column of the weights of series in the loss, if there is one.

    Raises:
        DataError: If a row is invalid, or a label changes within a series.
        UserError: If a file is missing or damaged, or a column is missing.

    Example:
        >>> data = read_labeled_series([([1.0, 2.0, 3.0], "up"), ([3.0, 2.0], "down")])
        >>> print(data)
        data in memory: 2 series of 2 to 3 steps with 2 labels
    """
    if isinstance(data, LabeledSeries):
        return data
    path = name_of(data)
    if is_archive(data):
        if weight is not None:
            raise _no_weights(path)
        return _of_archive(read_archive(data), path)
    if not is_arrays(data) and is_table(data):
        return _of_table(data, label, weight, options, path)
    if weight is not None:
        raise _no_weights(path)
    if is_arrays(data):
        return _of_arrays(paths_of(data), path)
    return _of_rows(data, path)


def _of_table(
    data: Any, label: str | None, weight: str | None, options: ReadingOptions, path: str
) -> LabeledSeries:
    label = label or usual_column(data, LABEL, options.table.encoding, "labels")
    names, option = [label], "label_column"
    if weight is not None:
        names, option = [label, weight], "weight_column"
    table, cells = series_with_columns(data, options, names, option)
    labels, *weights = zip(*cells, strict=True)
    for each, own in zip(table.series, labels, strict=True):
        if not own:
            raise UserError(f"{path}: series {each.name!r:.40} has no label")
    return LabeledSeries(
        path,
        table.series,
        table.targets,
        [*labels],
        row_weights(weights[0] if weights else None, path),
        **origin_of(table),
    )


def _of_arrays(files: list[Path], path: str) -> LabeledSeries:
    series, labels = [], []
    for file in files:
        arrays = read_arrays(file)
        series_of_file, y = series_of(arrays, file), first_of(CLASSES, arrays, file)
        if y.shape != (len(series_of_file),):
            raise UserError(f"{file}: expected {CLASSES[0]} ({len(series_of_file)}), got {y.shape}")
        series += series_of_file
        labels += y.astype(str).tolist()
    return _checked(path, series, labels)


def _no_weights(path: str) -> UserError:
    return UserError(f"{option_name('weight_column')} is for tables of series, and {path} is none")


def _of_archive(archive: Archive, path: str) -> LabeledSeries:
    if not archive.answers or archive.has_values:
        what = "values" if archive.has_values else "no labels"
        raise UserError(f"{path} has {what} beside its series: a series-classifier needs labels")
    return _checked(path, archive.series, archive.answers)


def _of_rows(data: Any, path: str) -> LabeledSeries:
    series, labels = [], []
    for number, row in enumerate(data, 1):
        if not isinstance(row, tuple | list) or len(row) != 2 or not isinstance(row[1], str):
            raise UserError(f"{path}: row {number} must be (series, label), got {row!r:.60}")
        series.append(as_series(row[0], f"series {number}"))
        labels.append(row[1])
    return _checked(path, series, labels)


def _checked(path: str, series: list[Series], labels: list[str]) -> LabeledSeries:
    channels = channels_of(path, series)
    return LabeledSeries(path, series, channels, labels, source=missing_values(series))
