"""The layout of a table: its columns, their names, and which of them are read."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

from zoo.data.readers.profile import is_number

# Columns without a name, as pandas writes or reads them.
NAMELESS = re.compile(r"|#|Unnamed: \d+(_level_\d+)?|__index_level_\d+__")


@dataclass(frozen=True)
class Layout:
    """The columns of a table.

    Args:
        header: The cells of the row that names the columns; None without such a row.
        names: The names of the columns that are read, "" where there is none.
        width: The number of cells of a row.
        indices: Those of the columns that are read; None for all.
        above: The number of rows above the table.
        below: The number of rows of units below the header.
    """

    header: list[str] | None
    names: list[str]
    width: int
    indices: tuple[int, ...] | None = None
    above: int = 0
    below: int = 0

    @classmethod
    def named(cls, header: list[str], names: Sequence[str]) -> Self:
        """The layout of a table with a header."""
        return cls(header, [name.strip() for name in names], len(names))

    @classmethod
    def numbered(cls, width: int) -> Self:
        """The layout of a table without a header, whose names are numbers from 1."""
        return cls(None, [str(number) for number in range(1, width + 1)], width)

    def without_nameless(self, rows: Sequence[Sequence[str]]) -> Self:
        """Leaves out columns without a name, unless they have texts or dates.

        Args:
            rows: Some rows, of the width of the layout.
        """
        if self.header is None:
            return self
        names = ["" if NAMELESS.fullmatch(name.strip()) else name for name in self.names]
        last = max((index for index, name in enumerate(names) if name), default=-1)
        kept = tuple(
            index
            for index, name in enumerate(names)
            if name or (index < last and not _is_index([row[index] for row in rows]))
        )
        if len(kept) == len(names):
            return replace(self, names=names)
        return replace(self, names=[names[index] for index in kept], indices=kept)

    def fit(self, cells: list[str]) -> list[str] | None:
        """The cells of the columns that are read; None if the row has too few or too many.

        Empty cells after the last column do not count, nor missing ones without a name.
        """
        if self.indices is None and len(cells) == self.width:
            return cells
        needed = self.width if self.indices is None else max(self.indices, default=-1) + 1
        if len(cells) > self.width and not any(map(str.strip, cells[self.width :])):
            cells = cells[: self.width]
        if not needed <= len(cells) <= self.width:
            return None
        if len(cells) < self.width and any(map(str.strip, cells[needed:])):
            return None
        return cells if self.indices is None else [cells[index] for index in self.indices]


def _is_index(cells: Sequence[str]) -> bool:
    """Whether a column without a name can be left out: it has numbers, or is empty."""
    return all(is_number(cell) for cell in cells if not NAMELESS.fullmatch(cell.strip()))
