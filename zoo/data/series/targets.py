"""The columns of numbers of a table that are forecast, and those that say nothing to forecast."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

import numpy as np
import pyarrow as pa

from zoo.data.readers.column_finder import ColumnFinder
from zoo.data.readers.profile import ENOUGH
from zoo.data.series.month_names import MONTHS, plain
from zoo.data.series.part_names import CLOCK, part_of
from zoo.data.series.reading import ReadingOptions
from zoo.data.series.value_columns import has_numbers, numbers_of
from zoo.data_statistics import LOGGER, counted
from zoo.errors import UserError
from zoo.option_names import option_name

# Usual names of the column, in lower case.
TARGET = ("target", "y", "value", "values", "sales", "demand")
# Numbers by which measuring stations and archives say that a value is missing.
MARKERS = (-999.0, -999.9, -999.99, -9999.0, -9999.9, -99999.0, 999.9, 9999.9, 99999.9)
PLACES = ("year", "month", "day", *CLOCK)  # of the parts of a `timetuple`
FAR = 5  # how many times as far from 0 as all values such a number is, at least


def take_targets(
    columns: ColumnFinder, options: ReadingOptions, series: Sequence[str], times: Sequence[Any]
) -> dict[str, pa.ChunkedArray]:
    """The columns that the options name, or else one with a usual name, or else all of numbers.

    Of these, some are left out with a warning: those that do not change within any series, those
    that number the rows, and those of the years, months, days or hours of the times.

    Args:
        columns: The columns that are left.
        options: Names of columns.
        series: The name of the series of each row.
        times: The time of each row; empty if rows are numbered.

    Raises:
        UserError: If a column is missing, there are no numbers, or each month has a column.
    """
    names = options.named("target")
    if not names and options.targets and {*options.targets} <= columns.left.keys():
        names = [*options.targets]
    if not names:
        _refuse_months(columns)
        usual = None if options.all_values else columns.find(None, TARGET)
        names = [usual] if usual else _numbers(columns, options, series, times)
    if not names:
        listed = ", ".join(columns.left) or "none"
        raise UserError(
            f"{columns.path} has no column of numbers to forecast: name it with "
            f"{option_name('target_column')}; "
            f"the other columns are {listed:.200}"
        )
    return {name: columns.take(name, (), "target", required=True) for name in names}


def _refuse_months(columns: ColumnFinder) -> None:
    """Refuses a table with a column for each month, which would be twelve targets of each year."""
    months = {MONTHS.get(plain(name.strip())): name for name in columns.left}
    if all(number in months for number in range(1, 13)):
        raise UserError(
            f"{columns.path} has a column for each month, {months[1]} to {months[12]}: write one "
            "row for each month, such as 1991-07,3.5 below the header time,value, or name columns "
            f"to forecast from year to year with {option_name('target_column')}"
        )


def _numbers(
    columns: ColumnFinder, options: ReadingOptions, series: Sequence[str], times: Sequence[Any]
) -> list[str]:
    """The columns of numbers that can be forecast."""
    names = [name for name, column in columns.left.items() if has_numbers(column)]
    if options.all_values or len(series) < ENOUGH:
        return names
    numbers = {name: numbers_of(name, columns.left[name], {}) for name in names}
    reasons = dict(_not_forecast(numbers, series, times))
    if len(reasons) == len(names):
        return names
    for reason in dict.fromkeys(reasons.values()):
        listed = ", ".join(name for name in names if reasons.get(name) == reason)
        LOGGER.warning(
            f"{columns.path}: not forecast, as {reason}: {listed}; "
            f"{option_name('target_column')} names the columns to forecast"
        )
    return [name for name in names if name not in reasons]


def _not_forecast(
    numbers: Mapping[str, np.ndarray], series: Sequence[str], times: Sequence[Any]
) -> Iterator[tuple[str, str]]:
    """The columns that are not forecast, each with the reason."""
    codes = {name: code for code, name in enumerate(dict.fromkeys(series))}
    own = np.array([codes[name] for name in series])
    order = np.argsort(own, kind="stable")
    for name, values in numbers.items():
        there = order[~np.isnan(values[order])]
        within = own[there][1:] == own[there][:-1]  # steps within a series
        if not np.diff(values[there])[within].any():
            yield name, "they do not change"
        elif (np.diff(values) == 1).all():
            yield name, "they number the rows"
        elif _is_part(name, values, times):
            yield name, "they are parts of the times"


def _is_part(name: str, values: np.ndarray, times: Sequence[Any]) -> bool:
    """Whether the values are the years, months, days, hours, ... of the times."""
    part = part_of(name)
    if part not in PLACES or len(times) != len(values):
        return False
    place = PLACES.index(part)
    pairs = [(t, x) for t, x in zip(times, values.tolist(), strict=True) if t is not None]
    return bool(pairs) and all(
        isinstance(time, datetime) and time.timetuple()[place] == x for time, x in pairs
    )


def without_markers(path: str, name: str, values: np.ndarray) -> np.ndarray:
    """The values of a column, NaN instead of a number that marks missing ones, with a warning.

    It is one of `MARKERS` that is far from all other values.

    Args:
        path: The file, for the warning.
        name: The column, for the warning.
        values: Its values.

    Example:
        >>> without_markers("a.csv", "rain", np.array([0.5, -999, 2.0])).tolist()
        [0.5, nan, 2.0]
        >>> without_markers("a.csv", "profit", np.array([-400.0, -999, 2.0])).tolist()
        [-400.0, -999.0, 2.0]
    """
    there = {each for each in MARKERS if (values == each).any()}
    others = values[~np.isnan(values) & ~np.isin(values, list(there))]
    for marker in sorted(there):
        # Below a number of which most cannot be: what only has positive values may be larger.
        nearest = others.min() if len(others) and marker < 0 else None
        nearest = -others.max() if len(others) and marker > 0 else nearest
        if nearest is None or nearest <= -abs(marker) / FAR:
            continue
        count = int((values == marker).sum())
        rows = counted(count, "rows")
        LOGGER.warning(f"{path}: {name} is {marker:g} in {rows}, read as missing values")
        values = np.where(values == marker, np.nan, values)
    return values
