"""The columns of a table of nodes or of edges, of which some are features."""

from typing import NoReturn

import numpy as np
import pyarrow as pa

from zoo.data.readers.column_finder import ColumnFinder, check_rows
from zoo.data.readers.number_columns import plain_numbers
from zoo.data.readers.table import Table, as_texts
from zoo.errors import DataError

LARGEST = float(np.finfo("float32").max)


class GraphColumns:
    """The columns of a valid table, of which roles take some; the others are features.

    Args:
        table: The table.
        what: What its rows are, for messages.
        header: Whether it has to name its columns.

    Attributes:
        finder: The columns that no role has taken.

    Raises:
        DataError: If a row is invalid.
        UserError: If there are no rows, or no names.
    """

    def __init__(self, table: Table, what: str, header: bool) -> None:
        self.table, _ = table.without_bad(skip=False)
        check_rows(self.table, header)
        self.finder = ColumnFinder(self.table, what)

    @property
    def path(self) -> str:
        """The file, for messages."""
        return self.table.path

    @property
    def lines(self) -> list[int]:
        """The line of each row."""
        lines: list[int] = self.table.lines.tolist()
        return lines

    def features(self) -> np.ndarray:
        """All columns that are left, (rows, columns)."""
        features = np.empty((len(self.table), len(self.finder.left)), "float32")
        for index, (name, column) in enumerate(self.finder.left.items()):
            numbers = plain_numbers(column)
            if numbers is None:
                try:
                    numbers = np.array(as_texts(column), "float64")
                except (ValueError, OverflowError):
                    self._refuse(name, column)
            if not (np.abs(numbers) <= LARGEST).all():
                self._refuse(name, column)
            features[:, index] = numbers
        return features

    def _refuse(self, name: str, column: pa.ChunkedArray) -> NoReturn:
        cells = as_texts(column)
        row = next(row for row, cell in enumerate(cells) if not _is_finite(cell))
        reason = f"{name} must be a finite number, got {cells[row]!r:.40}"
        raise DataError(self.path, self.lines[row], reason)


def _is_finite(cell: str) -> bool:
    try:
        return abs(float(cell)) <= LARGEST
    except (ValueError, OverflowError):
        return False
