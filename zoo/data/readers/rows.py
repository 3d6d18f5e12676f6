"""A row of a table."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple


class Row(NamedTuple):
    """A row of a table.

    Args:
        line: Number of the line, from 1, or of the row in formats without lines.
        cells: The cells; empty for a blank line.
        reason: Why the row is invalid, or None if it is valid.
        problems: Why single cells are invalid, by the name of their column.
        fits: Whether it has as many cells as the table has columns.
    """

    line: int
    cells: list[str]
    reason: str | None = None
    problems: Mapping[str, str] = MappingProxyType({})
    fits: bool = True


Names = list[str] | None  # of the columns; None if the first row may have them
