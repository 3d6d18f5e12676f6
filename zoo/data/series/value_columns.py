"""The numbers and the times of typed columns, which are read as a whole where that can be."""

from datetime import datetime

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from zoo.data.readers.number_columns import has_number_type, plain_numbers
from zoo.data.readers.numbers import LARGEST, is_numeric, read_numbers
from zoo.data.readers.table import as_texts, is_text
from zoo.data.series.dates import Times, are_dates, check_calendar, read_times
from zoo.data.series.formats import FORMATS

# A form of `FORMATS[0]` that no other format reads.
ISO = r"^(\d{4}-\d{2}-\d{2}([ T]\d{2}:\d{2}(:\d{2}(\.\d{3}|\.\d{6})?)?)?)?$"


def has_numbers(column: pa.ChunkedArray) -> bool:
    """Whether a column has numbers: by its type, or those of its first cells that are not missing.

    Example:
        >>> has_numbers(pa.chunked_array([["", "7"]])), has_numbers(pa.chunked_array([[True]]))
        (True, False)
    """
    if has_number_type(column):
        numbers = plain_numbers(column)
        return numbers is not None and not bool(np.isnan(numbers).all())
    return is_numeric(as_texts(column))


def numbers_of(name: str, column: pa.ChunkedArray, bad: dict[int, str]) -> np.ndarray:
    """The numbers of a column (rows,), float64, NaN where missing; adds to reasons of bad rows.

    See `read_numbers` for texts.

    Args:
        name: The name of the column, for the reasons.
        column: The column.
        bad: The reason why a row is bad, by its index.
    """
    numbers = plain_numbers(column)
    if numbers is None or (np.abs(numbers) > LARGEST).any():
        return read_numbers(name, as_texts(column), bad)
    return numbers


def has_dates(column: pa.ChunkedArray) -> bool:
    """Whether a column has dates: by its type, or as texts.

    Example:
        >>> has_dates(pa.chunked_array([[datetime(2024, 1, 31)]]))
        True
    """
    if _has_date_type(column):
        return bool(column.null_count < len(column))
    return are_dates(as_texts(column))


def times_of(
    column: pa.ChunkedArray, given: str | None = None, day_first: bool | None = None
) -> Times:
    """The times of a column: those that it has by its type, or those that `read_times` reads.

    Args:
        column: The column.
        given: The format of texts, in the way of `strptime`; None to decide it.
        day_first: The order of what cannot be decided; None to refuse it.

    Raises:
        Undecided: If the order of day and month cannot be decided.
        OtherCalendar: If all years are those of another calendar, unless `given` is given.
        ValueError: If `given` is not a format.

    Example:
        >>> times_of(pa.chunked_array([["2024-01-31", "2024-02-01 12:00"]])).values[1]
        datetime.datetime(2024, 2, 1, 12, 0)
    """
    if _has_date_type(column):
        return Times(FORMATS[0], _typed(column))
    if given is None and is_text(column) and (values := _iso(column)) is not None:
        check_calendar(values)
        return Times(FORMATS[0], values)
    return read_times(as_texts(column), given, day_first)


def _has_date_type(column: pa.ChunkedArray) -> bool:
    return bool(pa.types.is_date(column.type) or pa.types.is_timestamp(column.type))


def _typed(column: pa.ChunkedArray) -> list[datetime | int | None]:
    if pa.types.is_date(column.type):
        column = column.cast(pa.timestamp("s"))
    elif column.type.unit == "ns":  # which `datetime` does not have
        column = column.cast(pa.timestamp("us", column.type.tz), safe=False)
    times: list[datetime | int | None] = column.to_pylist()
    return times


def _iso(column: pa.ChunkedArray) -> list[datetime | int | None] | None:
    """The times of a column of dates in the form of ISO 8601 alone; None for another column."""
    cells = pc.utf8_trim_whitespace(column)
    if not pc.all(pc.match_substring_regex(cells, ISO)).as_py():
        return None
    try:
        times: list[datetime | int | None] = [
            datetime.fromisoformat(cell) if cell else None for cell in as_texts(cells)
        ]
    except ValueError:  # such as February 30
        return None
    return times if any(times) else None
