"""A table in memory: typed columns in Arrow's format, and the line of each row."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np
import pyarrow as pa

from zoo.errors import DataError, UserError


@dataclass(frozen=True, eq=False)
class Table:
    """The valid rows of a table, or of a part of it, and what is wrong with the others.

    Columns of text files are texts, in which "" is a missing value. Those of Parquet and Arrow
    files have the type that they have in the file.

    Args:
        path: Path of the file, for messages.
        data: The columns, with their names; or with numbers from 1, without a header. A column may
            have no name, "".
        lines: The line of each row (rows,), from 1; or its number, in formats without lines.
        header: Whether the file names the columns.
        bad: The invalid rows, as (line, reason).
        blank: Number of blank lines.
        problems: Why single cells are invalid: by the name of their column, and then by line.
        unread: Without a header, the lines of rows that could not be read: one may be the header.
    """

    path: str
    data: pa.Table
    lines: np.ndarray
    header: bool = True
    bad: Sequence[tuple[int, str]] = ()
    blank: int = 0
    problems: Mapping[str, Mapping[int, str]] = field(default_factory=dict)
    unread: Sequence[int] = ()

    def __len__(self) -> int:
        return len(self.lines)

    @property
    def names(self) -> list[str]:
        """The names of the columns."""
        names: list[str] = self.data.column_names
        return names

    def texts(self, index: int) -> list[str]:
        """The cells of a column as texts.

        Raises:
            UserError: If one is not valid UTF-8.
        """
        try:
            return as_texts(self.data.column(index))
        except UnicodeDecodeError as error:
            raise UserError(f"{self.path} is damaged: {error}") from None

    def rows(self) -> list[tuple[str, ...]]:
        """The cells of each row as texts."""
        columns = [self.texts(index) for index in range(len(self.names))]
        return list(zip(*columns, strict=True))

    def renamed(self, names: Sequence[str]) -> Self:
        """The table with other names of its columns."""
        return replace(self, data=self.data.rename_columns(list(names)), header=True)

    def head(self, count: int) -> Self:
        """The first rows of the table."""
        return replace(self, data=self.data.slice(0, count), lines=self.lines[:count])

    def without_first(self, count: int) -> Self:
        """The table without its first rows."""
        return replace(self, data=self.data.slice(count), lines=self.lines[count:])

    @property
    def reasons(self) -> dict[int, str]:
        """What is wrong with the rows that are invalid, or of which a cell is: by line."""
        reasons: dict[int, str] = dict(self.bad)
        for problems in self.problems.values():
            reasons = {**problems, **reasons}
        return reasons

    @property
    def first_reason(self) -> tuple[int, str] | None:
        """The line of the row to tell of first, and what is wrong with it; None if nothing is.

        Without a header, rows that could not be read come first: others may only seem to be invalid
        since one of these is the header.
        """
        reasons, unread = self.reasons, {*self.unread}
        line = min(reasons, key=lambda line: (line not in unread, line), default=None)
        return None if line is None else (line, reasons[line])

    def without_bad(self, skip: bool) -> tuple[Self, int]:
        """The rows of which every cell is valid, and the number of the other rows.

        Args:
            skip: Whether to leave these out.

        Raises:
            DataError: For the first of these, as `first_reason` finds it, without `skip`.
        """
        first, reasons = self.first_reason, self.reasons
        if first is None:
            return self, 0
        if not skip:
            raise DataError(self.path, *first)
        kept = ~np.isin(self.lines, list(reasons))
        return replace(self, data=self.data.filter(kept), lines=self.lines[kept]), len(reasons)


def joined(tables: Iterable[Table]) -> Table:
    """The rows of the parts of one table."""
    parts = list(tables)
    problems: dict[str, dict[int, str]] = {}
    for part in parts:
        for name, reasons in part.problems.items():
            problems.setdefault(name, {}).update(reasons)
    return replace(
        parts[0],
        data=pa.concat_tables([part.data for part in parts]),
        lines=np.concatenate([part.lines for part in parts]),
        bad=[each for part in parts for each in part.bad],
        blank=sum(part.blank for part in parts),
        problems=problems,
        unread=[line for part in parts for line in part.unread],
    )


def is_text(column: pa.ChunkedArray) -> bool:
    """Whether a column has texts."""
    kind = column.type
    return pa.types.is_string(kind) or pa.types.is_large_string(kind)


def is_empty(column: pa.ChunkedArray) -> bool:
    """Whether all cells of a column are blank; a column of a single row is never called so.

    Example:
        >>> is_empty(pa.chunked_array([["", " "], [None]])), is_empty(pa.chunked_array([["", "a"]]))
        (True, False)
        >>> is_empty(pa.chunked_array([[""]]))
        False
    """
    return len(column) > 1 and not any(text_of(cell.as_py()).strip() for cell in column)


def as_texts(column: pa.ChunkedArray) -> list[str]:
    """The cells of a column as texts; missing values are "".

    Example:
        >>> as_texts(pa.chunked_array([["a", None]])), as_texts(pa.chunked_array([[1.5, np.nan]]))
        (['a', ''], ['1.5', ''])
    """
    cells: list[Any] = column.to_pylist()
    if is_text(column) and not column.null_count:
        return cells
    return [text_of(cell) for cell in cells]


def text_of(cell: Any) -> str:
    """A value as text; None and NaN are missing values, which become empty.

    Example:
        >>> text_of({"text": ["Ann"], "answer_start": np.array([0])})
        '{"text": ["Ann"], "answer_start": [0]}'
    """
    if cell is None or cell != cell:
        return ""
    if isinstance(cell, dict):
        return json.dumps(cell, ensure_ascii=False, default=lambda x: np.asarray(x).tolist())
    return cell.decode("utf-8", "replace") if isinstance(cell, bytes) else str(cell)
