"""Values beside arrays: of `.npz` files, or of rows of a program."""

import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from zoo.data.readers.npz import first_of
from zoo.errors import DataError, UserError

# The names under which values are found in an `.npz` file, in this order; and that of their names.
VALUES, NAMES = ("values", "targets", "y", "y_train", "labels"), "names"


def values_of_arrays(
    path: Path,
    arrays: Mapping[str, np.ndarray],
    count: int,
    given: Sequence[str] | None = None,
    known: Sequence[str] = VALUES,
) -> tuple[list[tuple[float, ...]], list[str]]:
    """The values of the rows of a file, and their names.

    Args:
        path: The file, for messages.
        arrays: Its arrays; `names` (K,) are the names of the values.
        count: The number of rows.
        given: The names of the values, if the user gave them.
        known: The names of the array of values, the first of which is taken.

    Raises:
        UserError: If there is no array of values, it has another shape, or values are no finite
            numbers.

    Example:
        >>> arrays = {"y": np.array([[1, 2], [3, 4]]), "names": np.array(["price", "stars"])}
        >>> values_of_arrays(Path("a.npz"), arrays, 2)
        ([(1.0, 2.0), (3.0, 4.0)], ['price', 'stars'])
    """
    values = first_of(known, arrays, path)
    if values.ndim not in (1, 2) or len(values) != count or values.dtype.kind not in "iufb":
        raise UserError(
            f"{path}: expected {known[0]}, numbers ({count},) or ({count}, K), got {values.dtype} "
            f"{values.shape}"
        )
    rows = values.reshape(count, -1).astype(np.float64)
    if not np.isfinite(rows).all():
        row = int(np.flatnonzero(~np.isfinite(rows).all(axis=1))[0])
        raise UserError(f"{path}: the values of row {row + 1} are not finite numbers")
    width = rows.shape[1]
    plain = [f"value {n}" for n in range(1, width + 1)] if width > 1 else ["value"]
    own = arrays[NAMES].astype(str).ravel().tolist() if NAMES in arrays else plain
    names = [*given] if given is not None else own
    if len(names) != width:
        raise UserError(f"{path} has {width} values in each row, and {len(names)} names of them")
    return [tuple(row) for row in rows.tolist()], names


def values_of_rows(
    path: str, data: Iterable[Any], names: Sequence[str], what: str
) -> tuple[list[Any], list[tuple[float, ...]]]:
    """The inputs of rows in memory, and the values of each.

    Args:
        path: Name of the data, for messages.
        data: Rows of an input and its values.
        names: The names of the values.
        what: What an input is, for messages.

    Raises:
        DataError: If a row has more or fewer values, or one that is not a finite number.
    """
    inputs, values = [], []
    form = f"({what}, {', '.join(names)})"
    for number, row in enumerate(data, 1):
        if not isinstance(row, tuple | list) or len(row) != 1 + len(names):
            raise DataError(path, number, f"expected {form}, got {row!r:.60}")
        try:
            own = tuple(float(each) for each in row[1:])
        except (TypeError, ValueError):
            own = (math.nan,)
        if not all(map(math.isfinite, own)):
            raise DataError(path, number, f"expected finite numbers, got {row[1:]!r:.60}")
        inputs.append(row[0])
        values.append(own)
    return inputs, values
