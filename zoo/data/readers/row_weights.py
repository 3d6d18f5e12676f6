"""The weights of rows in the loss, from a column of a table."""

import math
from collections.abc import Sequence

from zoo.data.readers.numbers import is_value, read_numbers
from zoo.errors import UserError


def row_weights(cells: Sequence[str] | None, path: str) -> list[float] | None:
    """The weights of rows.

    Args:
        cells: The cells of the column; None if there is none.
        path: Path of the data, for messages.

    Raises:
        UserError: If a cell is no finite number of at least 0, or all are 0.

    Example:
        >>> row_weights(["1", "0.5"], "films.tsv")
        [1.0, 0.5]
        >>> row_weights(["1", "0,5"], "films.csv")
        [1.0, 0.5]
    """
    if cells is None:
        return None
    bad: dict[int, str] = {}
    weights: list[float] = read_numbers("weight", cells, bad).tolist()
    for row, (cell, weight) in enumerate(zip(cells, weights, strict=True)):
        if row in bad and is_value(cell):
            raise UserError(f"{path}: {bad[row]}")
        if not 0 <= weight < math.inf:
            raise UserError(f"{path}: the weight {cell!r:.40} is not a finite number of at least 0")
    if not any(weights):
        raise UserError(f"{path}: all weights of rows are 0; some must be above 0")
    return weights
