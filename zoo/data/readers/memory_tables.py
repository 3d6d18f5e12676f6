"""Tables in memory: data frames, dictionaries of columns, and lists of rows."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol

import numpy as np
import pyarrow as pa

from zoo.data.readers.files import IN_MEMORY
from zoo.data.readers.header import check_names
from zoo.data.readers.rows import Row
from zoo.data.readers.table import Table, text_of
from zoo.errors import UserError


class DataFrame(Protocol):
    """A table of a library such as pandas."""

    @property
    def columns(self) -> Iterable[Any]:
        """The names of the columns."""

    def __getitem__(self, name: Any, /) -> Any:
        """The cells of a column."""


TableInMemory = DataFrame | Mapping[str, Sequence[Any]]


def table_in_memory(data: object) -> Table | None:
    """The table of a data frame or of a dictionary of columns; None for anything else."""
    if isinstance(data, Mapping):
        keys = list(data)
    elif hasattr(data, "columns") and hasattr(data, "__getitem__"):
        keys = list(data.columns)
    else:
        return None
    names = [str(key) for key in keys]
    check_names(names, IN_MEMORY)
    columns = [list(data[key]) for key in keys]
    if len({len(column) for column in columns}) > 1:
        raise UserError(f"{IN_MEMORY}: the columns differ in length")
    arrays = [_array(name, column) for name, column in zip(names, columns, strict=True)]
    rows = len(columns[0]) if columns else 0
    return Table(IN_MEMORY, pa.table(arrays, names=names), np.arange(1, rows + 1))


def _array(name: str, cells: Sequence[Any]) -> pa.Array:
    """A column with the type of its values; as texts, if these differ or Arrow has no such type."""
    kinds = {type(cell) for cell in cells if cell is not None}
    try:
        if len(kinds) == 1:
            return pa.array(cells)
    except (pa.ArrowException, UnicodeEncodeError):
        pass
    try:
        return pa.array([text_of(cell) for cell in cells], pa.string())
    except UnicodeEncodeError:
        raise UserError(
            f"{IN_MEMORY}: the column {name} has half of a surrogate pair, which is no character"
        ) from None


def rows_in_memory(data: Iterable[Any]) -> Iterator[Row]:
    """The rows of a list; None and NaN are missing values, which become empty cells."""
    for number, row in enumerate(data, 1):
        if isinstance(row, str):  # otherwise its characters would be the cells
            yield Row(number, [], "expected a tuple of texts, found one text")
            continue
        yield Row(number, [text_of(cell) for cell in row])
