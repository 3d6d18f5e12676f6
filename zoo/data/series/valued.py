"""The reader of series with values: from tables, `.npz` files, or memory."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias, cast

from zoo.data.readers.files import Paths, name_of, paths_of
from zoo.data.readers.memory_tables import TableInMemory
from zoo.data.readers.npz import read_arrays
from zoo.data.readers.numbers import is_value
from zoo.data.readers.roles import Role
from zoo.data.readers.value_arrays import values_of_arrays, values_of_rows
from zoo.data.readers.values import cell_values
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
from zoo.data.valued_rows import ValuedRows
from zoo.errors import UserError
from zoo.option_names import listed_names

TARGET = ("target", "score", "rating", "label")  # usual names of the column, in lower case
# The names of the array of values in an `.npz` file, in this order.
ARRAYS = ("y", "targets", "labels", "label")

# Files, a table, or rows of a series, as `read_series` takes it, and its values.
ValuedSeriesData: TypeAlias = "Paths | ValuedSeries | TableInMemory | Iterable[tuple[Any, ...]]"


@dataclass(frozen=True)
class ValuedSeries(ValuedRows, SeriesRows):
    """Series with their values."""

    def __str__(self) -> str:
        return self.described(self.value_facts)


def read_valued_series(
    data: ValuedSeriesData, options: ReadingOptions = DEFAULT, target: str | None = None
) -> ValuedSeries:
    """Reads series with values.

    Args:
        data: A table with a row for each step and columns of the names of series and of the values
            to predict, a folder of tables, an `.npz` file with `x` (N, T) or (N, T, C) and `y` (N,)
            or (N, K), a list of `pathlib.Path`, a data frame or a dictionary of columns; or a list
            of (series, value), with as many values as `target` names.
        options: How a table is read; its targets are the values of each step.
        target: Name of the column of the values to predict, or several with commas between.
            Default: a usual name.

    Raises:
        DataError: If a row is invalid, or a value changes within a series.
        UserError: If a file is missing or damaged, a column is missing, or a value is not a finite
            number.

    Example:
        >>> print(read_valued_series([([1.0, 2.0, 3.0], 2.5), ([3.0, 2.0], 5)]))
        data in memory: 2 series of 2 to 3 steps with values: value 2.5 to 5
    """
    if isinstance(data, ValuedSeries):
        return data
    path, names = name_of(data), _names(target)
    if is_archive(data):
        return _of_archive(read_archive(data), path, names)
    if is_arrays(data):
        return _of_arrays(paths_of(data), path, names)
    if is_table(data):
        return _of_table(data, names, options, path)
    names = names or ["value"]
    given, values = values_of_rows(path, cast(Iterable[Any], data), names, "series")
    series = [as_series(each, f"series {number}") for number, each in enumerate(given, 1)]
    return _checked(path, series, values, names)


def _names(target: str | None) -> list[str] | None:
    return None if target is None else listed_names(target, "target_column", "numbers")


def _of_table(
    data: Any, names: list[str] | None, options: ReadingOptions, path: str
) -> ValuedSeries:
    names = names or [usual_column(data, TARGET, options.table.encoding, "values to predict")]
    table, cells = series_with_columns(data, options, names, "target_column")
    for each, own in zip(table.series, cells, strict=True):
        _check(path, each, names, own)
    by_name = dict(zip(names, zip(*cells, strict=True), strict=True))
    return ValuedSeries(
        path,
        table.series,
        table.targets,
        cell_values(path, by_name, [Role(name, "number") for name in names]),
        names,
        **origin_of(table),
    )


def _check(path: str, series: Series, names: Sequence[str], cells: Sequence[str]) -> None:
    """Raises a `UserError` if a value of a series is not a finite number."""
    for name, cell in zip(names, cells, strict=True):
        if not is_value(cell):
            reason = f"is {cell!r:.40}, not a finite number" if cell.strip() else "is empty"
            raise UserError(f"{path}: the {name} of series {series.name!r:.40} {reason}")


def _of_arrays(files: list[Path], path: str, given: list[str] | None) -> ValuedSeries:
    series: list[Series] = []
    values: list[tuple[float, ...]] = []
    names: list[str] = []
    for file in files:
        arrays = read_arrays(file)
        loaded = series_of(arrays, file)
        rows, names = values_of_arrays(file, arrays, len(loaded), given, ARRAYS)
        series, values = series + loaded, values + rows
    return _checked(path, series, values, names)


def _of_archive(archive: Archive, path: str, given: list[str] | None) -> ValuedSeries:
    if not archive.answers or not all(map(is_value, archive.answers)):
        raise UserError(f"{path} has no number beside each series: a series-regressor needs one")
    values: list[tuple[float, ...]] = [(float(each),) for each in archive.answers]
    return _checked(path, archive.series, values, given or ["value"])


def _checked(
    path: str, series: list[Series], values: list[tuple[float, ...]], names: list[str]
) -> ValuedSeries:
    channels = channels_of(path, series)
    return ValuedSeries(path, series, channels, values, names, source=missing_values(series))
