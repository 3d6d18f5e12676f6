"""Columns of plain numbers, which need not be read cell by cell."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from zoo.data.readers.table import is_text


def plain_numbers(column: pa.ChunkedArray) -> np.ndarray | None:
    """The numbers of a column (rows,), float64, NaN where they are missing.

    Booleans are 0 and 1. Of texts, all have to be numbers as programs write them, or empty.

    Returns:
        The numbers; None if a cell is something else.

    Example:
        >>> plain_numbers(pa.chunked_array([["2.5", "", "1e3"]])).tolist()
        [2.5, nan, 1000.0]
        >>> plain_numbers(pa.chunked_array([["2,5"]])) is None
        True
    """
    if is_text(column):
        cells = pc.utf8_trim_whitespace(column)
        cells = pc.if_else(pc.equal(cells, ""), None, cells)
        try:
            column = cells.cast(pa.float64())
        except pa.ArrowInvalid:
            return None
        if pc.any(pc.is_nan(column)).as_py():  # which programs write in several ways
            return None
    elif not (has_number_type(column) or pa.types.is_boolean(column.type)):
        return None
    numbers: np.ndarray = column.cast(pa.float64(), safe=False).to_numpy()
    return numbers


def has_number_type(column: pa.ChunkedArray) -> bool:
    """Whether a column has numbers by its type, in a Parquet or Arrow file."""
    kind = column.type
    return bool(
        pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)
    )
