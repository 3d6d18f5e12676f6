"""Rows of InfluxDB's annotated CSV: without annotations, with a name for each series."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest
from pathlib import Path
from typing import Self

from zoo.data.readers.rows import Row
from zoo.data_statistics import counted, warn_once

GROUP, DEFAULT, DATATYPE = "#group", "#default", "#datatype"
ANNOTATIONS = {GROUP, DEFAULT, DATATYPE, "#constant", "#timezone", "#concat"}
# Columns of the query, not of the data.
OF_QUERY = {"", "result", "table", "_start", "_stop"}
KEYS = ("measurement", "tag")  # data types of columns that name a series, in files for writing
SERIES = "series"  # the name of the column that is added
NOTE = "InfluxDB's annotations are no rows; series = "


def without_annotations(path: Path, rows: Iterator[Row]) -> Iterator[Row]:
    """The rows of a table, of which those of annotated CSV become a plain table.

    Source: InfluxData, "Annotated CSV" and "Extended annotated CSV", of InfluxDB 2. Empty cells
        have the default of their column. The header of a further table is left out; its cells go by
        its own names, and it may have other tags. The columns of the group, such as the
        measurement, the field and the tags, make the name of a series in a column `series`.

    Args:
        path: The file, for the warning.
        rows: Its rows.
    """
    first = next(rows, None)
    if first is None or not _annotation(first.cells):
        return rows if first is None else chain([first], rows)
    return _plain(path, chain([first], rows))


def _annotation(cells: Sequence[str]) -> str:
    """Which annotation a row is; empty for another row."""
    word = cells[0].split(" ")[0] if cells else ""
    return word if word in ANNOTATIONS else ""


@dataclass(frozen=True)
class _Block:
    """A table of annotated CSV with its own header.

    Args:
        names: Its columns.
        keys: Those that name a series.
        line: The line of its header.
        defaults: What empty cells have.
    """

    names: list[str]
    keys: list[str]
    line: int
    defaults: list[str]

    @classmethod
    def of(cls, header: Row, notes: Mapping[str, list[str]]) -> Self:
        names = header.cells
        keys = [name for n, name in enumerate(names) if name not in OF_QUERY and _is_key(n, notes)]
        return cls(names, keys, header.line, notes.get(DEFAULT, [])[: len(names)])

    @property
    def data(self) -> list[str]:
        """The columns of the data; those of the query left out."""
        return [name for name in self.names if name not in OF_QUERY]

    @property
    def plain(self) -> list[str]:
        """The columns of the plain table."""
        return [*([SERIES] if self.keys else []), *self.data]

    def unlike(self, first: "_Block") -> str | None:
        """Why its rows are no rows of the table that the first block begins; None if they are."""
        own, expected = ({*x.data} - {*x.keys} for x in (self, first))
        if own == expected and bool(self.keys) == bool(first.keys):
            return None
        columns = ", ".join(sorted(expected))
        return f"the block of line {self.line} has other columns than the first: expected {columns}"

    def read(self, row: Row, first: "_Block") -> Row:
        """A row as one of the plain table: its cells by the names of the first block."""
        if len(row.cells) != len(self.names):
            reason = f"expected {counted(len(self.names), 'columns')}, {', '.join(self.names)}"
            return row._replace(reason=f"{reason}: {len(row.cells)}")
        pairs = zip_longest(row.cells, self.defaults, fillvalue="")
        cells = dict(zip(self.names, (cell or x for cell, x in pairs), strict=True))
        series = [" ".join(cells[name] for name in self.keys)] if self.keys else []
        return row._replace(cells=[*series, *(cells.get(name, "") for name in first.data)])


def _plain(path: Path, rows: Iterator[Row]) -> Iterator[Row]:
    notes: dict[str, list[str]] = {}
    first: _Block | None = None
    block: _Block | None = None
    for row in rows:
        if row.reason is not None or not row.cells:
            yield row
        elif what := _annotation(row.cells):
            start = row.cells[0].removeprefix(what).strip()
            notes, block = ({} if block else notes) | {what: [start, *row.cells[1:]]}, None
        elif block is None:
            block = _Block.of(row, notes)
            if first is None:
                first = block
                warn_once(f"{path}: {NOTE}{', '.join(first.keys) or 'one'}")
                yield row._replace(cells=first.plain)
            elif reason := block.unlike(first):
                yield row._replace(reason=reason)
        else:
            first = first or block
            reason = block.unlike(first)
            yield row._replace(reason=reason) if reason else block.read(row, first)


def _is_key(index: int, notes: Mapping[str, list[str]]) -> bool:
    """Whether a column is one of those that name a series."""
    group, types = (notes.get(each, [])[index : index + 1] for each in (GROUP, DATATYPE))
    return group == ["true"] or (not group and types[:1] in ([KEYS[0]], [KEYS[1]]))
