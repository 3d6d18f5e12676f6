"""The reader of series with any number of labels: from tables, `.npz` files, or memory."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from zoo.data.label_sets import Labels, LabelSetRows, label_sets_of_arrays, label_sets_of_rows
from zoo.data.readers.files import Paths, name_of, paths_of
from zoo.data.readers.label_sets import cell_label_sets, label_set_roles
from zoo.data.readers.memory_tables import TableInMemory
from zoo.data.readers.npz import read_arrays
from zoo.data.readers.profile import is_flag
from zoo.data.readers.roles import LABELS
from zoo.data.series.labeled import CLASSES, LABEL
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
from zoo.errors import UserError


@dataclass(frozen=True)
class LabelSetSeries(LabelSetRows, SeriesRows):
    """Series with any number of labels."""

    def __str__(self) -> str:
        return self.described(self.label_facts)


def read_label_set_series(
    data: Paths | TableInMemory | Iterable[tuple[Any, Iterable[str]]],
    options: ReadingOptions = DEFAULT,
    separator: str = "|",
) -> LabelSetSeries:
    """Reads series with any number of labels.

    Args:
        data: A table with a row for each step, a column of the names of series, and one of labels
            or several of 0 and 1, which do not change within a series; a folder of tables; an
            `.npz` file with `x`, `y` (N, C) of 0 and 1 and `classes` (C,); or a list of
            (series, labels).
        options: How a table is read; its targets are the values of each step. Of the names,
            `label` may have several with commas between: columns of 0 and 1.
        separator: Separator between the labels of a cell that is no list in JSON.

    Raises:
        DataError: If a row is invalid, or a label changes within a series.
        UserError: If a file is missing or damaged, a column is missing, or a cell is neither 0 nor
            1.

    Example:
        >>> print(read_label_set_series([([1.0, 2.0], ["up", "short"]), ([3.0, 2.0], [])]))
        data in memory: 2 series of 2 steps with 2 labels, 1 for each
    """
    path = name_of(data)
    if is_arrays(data):
        return _of_arrays(paths_of(data), path)
    if is_table(data):
        return _of_table(data, options, separator, path)
    given, sets = label_sets_of_rows(path, cast(Iterable[Any], data), "series")
    series = [as_series(each, f"series {number}") for number, each in enumerate(given, 1)]
    return _checked(path, series, sets, ())


def _of_table(data: Any, options: ReadingOptions, separator: str, path: str) -> LabelSetSeries:
    roles, _ = label_set_roles(options.table)
    if roles == [LABELS]:
        given, encoding = options.table.names.label, options.table.encoding
        columns = [given or usual_column(data, LABEL, encoding, "labels")]
    else:
        columns = [role.name for role in roles]
    table, cells = series_with_columns(data, options, columns, "label_column")
    if roles != [LABELS]:
        for each, own in zip(table.series, cells, strict=True):
            _check(path, each, columns, own)
    by_role = {
        role.name: list(column)
        for role, column in zip(roles, zip(*cells, strict=True), strict=True)
    }
    sets, flags = cell_label_sets(by_role, roles, separator)
    return LabelSetSeries(
        path,
        table.series,
        table.targets,
        label_sets=sets,
        flags=flags,
        **origin_of(table),
    )


def _check(path: str, series: Series, names: list[str], cells: Labels) -> None:
    """Raises a `UserError` if a cell of a series is neither 0 nor 1."""
    for name, cell in zip(names, cells, strict=True):
        if not is_flag(cell):
            raise UserError(
                f"{path}: the {name} of series {series.name!r:.40} is {cell!r:.40}, not 0 or 1"
            )


def _of_arrays(files: list[Path], path: str) -> LabelSetSeries:
    series: list[Series] = []
    sets: list[Labels] = []
    every: dict[str, None] = {}
    for file in files:
        arrays = read_arrays(file)
        loaded = series_of(arrays, file)
        rows, flags = label_sets_of_arrays(file, arrays, len(loaded), CLASSES)
        series, sets, every = series + loaded, sets + rows, every | dict.fromkeys(flags)
    return _checked(path, series, sets, tuple(every))


def _checked(path: str, series: list[Series], sets: list[Labels], flags: Labels) -> LabelSetSeries:
    channels, source = channels_of(path, series), missing_values(series)
    return LabelSetSeries(path, series, channels, label_sets=sets, flags=flags, source=source)
