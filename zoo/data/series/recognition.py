"""Recognition of tables of series by their columns."""

from pathlib import Path

import numpy as np
import pyarrow as pa

from zoo.data.readers.column_finder import ColumnFinder
from zoo.data.readers.files import format_of, paths_of
from zoo.data.readers.npz import read_arrays
from zoo.data.readers.number_columns import plain_numbers
from zoo.data.readers.profile import Profile
from zoo.data.readers.table import as_texts
from zoo.data.readers.tables import is_table
from zoo.data.series.dates import OtherCalendar
from zoo.data.series.formats import NUMBER
from zoo.data.series.header import open_series_table
from zoo.data.series.labeled import CLASSES, LABEL
from zoo.data.series.rows import ARRAYS, NPZ
from zoo.data.series.tables import SERIES
from zoo.data.series.time_column import FIRST, TimeColumn
from zoo.data.series.value_columns import has_dates, has_numbers, times_of
from zoo.data.series.wide import times_among

FEWEST = 9  # steps of a column of times without dates


def has_series(path: str | Path, encoding: str | None = None) -> bool:
    """Whether a file is a table with a column of times, some of numbers, and none of texts.

    Times are dates, or numbers that rise evenly in a column of a usual name. Several columns may
    make a date; or those of a wide table have dates as names.

    Example:
        >>> folder = getfixture("tmp_path")
        >>> _ = (folder / "a.csv").write_text("month,sales\\n2024-01,3\\n2024-02,5\\n")
        >>> has_series(folder / "a.csv")
        True
    """
    first = paths_of(path)[0]
    if first.is_dir() or not is_table(first, encoding):
        return False
    table = open_series_table(first, encoding=encoding).sample
    if times_among(table.names):
        return True
    finder = ColumnFinder(table, "series")
    time = TimeColumn.of(finder, None)
    if time is None or not (_has_dates(time.column) or _rises(time.column)):
        return False
    kinds = [_kind(column) for column in finder.left.values()]
    return "number" in kinds and "text" not in kinds


def has_labeled_series(path: str | Path, encoding: str | None = None) -> bool:
    """Whether a file has series with labels.

    That is a table with columns of usual names for series and labels, and numbers beside them, or
    an `.npz` file of series (N, T), or of (N, T, C) with values that no pixel has.

    Example:
        >>> path = getfixture("tmp_path") / "a.csv"
        >>> _ = path.write_text("series,x,label\\na,1.5,up\\na,2.5,up\\nb,0.5,down\\n")
        >>> has_labeled_series(path)
        True
    """
    first = paths_of(path)[0]
    if format_of(first) == NPZ:
        return _has_arrays(first)
    if first.is_dir() or not is_table(first, encoding):
        return False
    reader = open_series_table(first, encoding=encoding)
    names = {name.strip().lower() for name in reader.names}
    kinds = [_kind(column) for column in reader.sample.data.columns]
    named = bool(names & set(LABEL)) and bool(names & set(SERIES))
    return named and "number" in kinds and "text" not in kinds


def _has_arrays(path: Path) -> bool:
    arrays = read_arrays(path)
    x = next((arrays[name] for name in ARRAYS if name in arrays), np.zeros(()))
    if x.ndim not in (2, 3) or x.dtype.kind not in "iuf" or not any(y in arrays for y in CLASSES):
        return False
    pixels = bool(np.all((x >= 0) & (x <= 255)))
    whole = pixels and bool(np.all(x == np.round(x)))
    # Images may be scaled to fractions; those of series seldom are as wide as high.
    return x.ndim == 2 or not (whole or (pixels and x.shape[1] == x.shape[2]))


def _has_dates(column: pa.ChunkedArray) -> bool:
    """Whether a column of times has dates, also such as 202401, and not numbers."""
    try:
        return times_of(column.slice(0, FIRST), day_first=True).format.unit != NUMBER
    except OtherCalendar:  # which is refused where it is read
        return True


def _rises(column: pa.ChunkedArray) -> bool:
    """Whether a column of times has numbers of steps that are equally far apart."""
    numbers = plain_numbers(column)
    steps = np.zeros(0) if numbers is None else np.diff(numbers)
    return len(steps) >= FEWEST and bool((steps == steps[0]).all() and steps[0] > 0)


def _kind(column: pa.ChunkedArray) -> str:
    if has_dates(column):
        return "date"
    if has_numbers(column):
        return "number"
    return "text" if Profile.of(as_texts(column)).is_text else "name"
