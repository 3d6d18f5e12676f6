"""Tables of files: CSV, TSV, JSON, Parquet, Arrow and Excel."""

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa

from zoo.data.readers.arrow_tables import read_arrow, read_parquet
from zoo.data.readers.boxed import ALIGNED, is_aligned, to_tabs
from zoo.data.readers.delimited import read_csv, read_tsv
from zoo.data.readers.files import format_of, opened
from zoo.data.readers.header import check_names, layout_of
from zoo.data.readers.influx import without_annotations
from zoo.data.readers.json_rows import read_json, read_jsonl
from zoo.data.readers.layout import Layout
from zoo.data.readers.loose_tables import is_loose_table
from zoo.data.readers.preamble import named_lines, without_notes
from zoo.data.readers.row_tables import fitted, table_of_rows
from zoo.data.readers.rows import Names, Row
from zoo.data.readers.signatures import LONGEST_SIGNATURE, not_text
from zoo.data.readers.table import Table, joined
from zoo.data.readers.text_tables import note_of_table
from zoo.data.readers.workbooks import XLSX, read_workbook
from zoo.data_statistics import counted, warn_once
from zoo.errors import UserError

SAMPLE = 1000  # number of rows from which the header and the roles of columns are inferred
# Maximum number of rows of a batch, and of characters after which it ends.
SHOWN = 3  # lines that a warning lists
BATCH_ROWS, BATCH_CHARACTERS = 1 << 12, 1 << 22
ROW_READERS: dict[str, Callable[[Path, str | None], tuple[Names, Iterator[Row]]]] = {
    ".csv": read_csv,
    ".tsv": read_tsv,
    ".jsonl": read_jsonl,
    ".json": read_json,
    ".tab": read_tsv,
}
ARROW_READERS = {".parquet": read_parquet, ".arrow": read_arrow}
TABLE_FORMATS = (".csv", ".tsv", ".jsonl", ".json", ".parquet", ".arrow", ".tab", XLSX)


@dataclass(frozen=True)
class TableReader:
    """A table that is open: its first rows, and all of its rows, which can be read once.

    Args:
        sample: The first rows, without invalid ones.
        batches: All rows, in batches.
    """

    sample: Table
    batches: Iterator[Table]

    @property
    def names(self) -> list[str]:
        """The names of the columns."""
        return self.sample.names

    @property
    def header(self) -> bool:
        """Whether the file names the columns."""
        return self.sample.header

    def read(self) -> Table:
        """The whole table."""
        sample = self.sample
        empty = Table(sample.path, sample.data.slice(0, 0), sample.lines[:0], sample.header)
        return joined([empty, *self.batches])

    def with_first_row_as_header(self) -> "TableReader":
        """The same table, whose first row names the columns."""
        names = [cells[0].strip() for cells in map(self.sample.texts, range(len(self.names)))]
        sample = self.sample.without_first(1).renamed(names)
        return TableReader(sample, _without_first_row(self.batches, names))


def _without_first_row(batches: Iterator[Table], names: Sequence[str]) -> Iterator[Table]:
    count = 1
    for batch in batches:
        yield batch.without_first(count).renamed(names)
        count = 0 if len(batch) else count


def reader_of(table: Table) -> TableReader:
    """A table in memory as if it were a file."""
    return TableReader(table.head(SAMPLE), iter([table]))


def is_table(path: Path, encoding: str | None = None) -> bool:
    """Whether a file is a table by its name, or a text file of numbers by its lines."""
    return format_of(path) in TABLE_FORMATS or is_loose_table(path, encoding)


def open_table(
    path: Path, what: str, named: Sequence[str] = (), encoding: str | None = None
) -> TableReader:
    """Opens a table; the suffix determines the format.

    `.csv`: cells separated by commas, semicolons, tabs or vertical bars, with quoting. `.tsv` and
    `.tab`: cells separated by tabs. These may have a header. `.jsonl`: one object per line.
    `.json`: a list of objects. `.parquet`: Apache Parquet. `.arrow`: Apache Arrow, as a file or a
    stream. `.xlsx`: the first sheet of an Excel workbook; see `read_workbook`. All but the last
    three may be compressed, as in `.csv.gz`. Text files of numbers are read
    like `.csv`; see `is_loose_table`.

    A column without a name is left out if it has numbers, like the index that pandas writes, or
    nothing. The names of the others have to differ.

    Args:
        path: The file.
        what: Description of the data, for messages.
        named: Column names that the user gave, which help to recognize a header.
        encoding: The encoding of texts without a byte order mark, by default UTF-8.

    Raises:
        UserError: If the file is missing, cannot be read, has an unknown format, or has two columns
            of one name.
    """
    form = ".csv" if is_loose_table(path, encoding) else format_of(path)
    if form == XLSX:
        return reader_of(read_workbook(path, named))
    if form in ARROW_READERS:
        return _open_arrow(str(path), *ARROW_READERS[form](path))
    if form not in ROW_READERS:
        if path.is_file():
            with opened(path) as file:
                reason = not_text(file.read(LONGEST_SIGNATURE))
            if reason:
                raise UserError(f"{path} is {reason}")
            if note := note_of_table(path, encoding, commas=True):
                raise UserError(f"{path} has a name that does not say that it is a table; {note}")
        known = ", ".join(TABLE_FORMATS)
        raise UserError(f"{path} has an unknown format: {what} can be read from {known} files")
    names, rows = ROW_READERS[form](path, encoding)
    rows = rows if names is not None else without_annotations(path, rows)
    first = list(itertools.islice(rows, SAMPLE))
    valid = [row for row in first if row.cells and row.reason is None]
    sample = [row.cells for row in valid]
    if names is None and all(len(cells) == 1 for cells in sample):
        _check_width(path, [cells[0] for cells in sample])
    layout = layout_of(sample, named) if names is None else Layout.named(names, names)
    every: Iterator[Row] = itertools.chain(first, rows)
    if layout.above:
        line = valid[layout.above].line
        every = (row for row in every if row.line >= line or not row.cells)
        _warn(path, valid[: layout.above], "above")
    if names is None and layout.header is not None:
        every = _without_header(every, layout.header, path)
    if layout.below:
        units = valid[layout.above + 1 :][: layout.below]
        every = _without_lines(every, {row.line for row in units})
        _warn(path, units, "below the header of")
    if names is None:
        tell = partial(_warn, path, where="below")
        every = without_notes(every, layout.width, layout.above > 0, tell)
    layout = layout.without_nameless([cells for cells in sample if len(cells) == layout.width])
    check_names(layout.names, path)
    fitting = (fitted(row, layout) for row in every)
    first = list(itertools.islice(fitting, SAMPLE))
    header = layout.header is not None

    def table(rows: Sequence[Row]) -> Table:
        return table_of_rows(str(path), layout.names, rows, header)

    batches = (table(batch) for batch in _batches(itertools.chain(first, fitting)))
    return TableReader(table([row for row in first if row.reason is None]), batches)


def _check_width(path: Path, lines: Sequence[str]) -> None:
    """Refuses lines that have columns of a fixed width.

    Raises:
        UserError: If they have.
    """
    if is_aligned(lines):
        raise UserError(f"{path} {ALIGNED}: {to_tabs(path)}")


def _open_arrow(path: str, names: list[str], parts: Iterator[pa.Table]) -> TableReader:
    first: list[pa.Table] = []
    while sum(map(len, first)) < SAMPLE and (part := next(parts, None)) is not None:
        first.append(part)
    first = first or [pa.table([pa.array([], pa.string()) for _ in names], names=names)]
    data = pa.concat_tables(first).slice(0, SAMPLE)
    sample = Table(path, data, np.arange(1, len(data) + 1))
    layout = Layout.named(names, names).without_nameless(sample.rows())
    check_names(layout.names, path)

    def selected(table: Table) -> Table:
        if layout.indices is not None:
            table = replace(table, data=table.data.select(list(layout.indices)))
        return table.renamed(layout.names)

    batches = map(selected, _numbered(path, itertools.chain(first, parts)))
    return TableReader(selected(sample), batches)


def _numbered(path: str, parts: Iterator[pa.Table]) -> Iterator[Table]:
    line = 1
    for part in parts:
        yield Table(path, part, np.arange(line, line + len(part)))
        line += len(part)


def _batches(rows: Iterator[Row]) -> Iterator[list[Row]]:
    batch: list[Row] = []
    characters = 0
    for row in rows:
        batch.append(row)
        characters += sum(map(len, row.cells))
        if len(batch) >= BATCH_ROWS or characters >= BATCH_CHARACTERS:
            yield batch
            batch, characters = [], 0
    if batch:
        yield batch


def _without_header(rows: Iterator[Row], header: list[str], path: Path) -> Iterator[Row]:
    """The rows without the header, which joined files have again; of one column, only the first."""
    lines: list[int] = []
    for row in rows:
        if row.cells == header and row.reason is None and (not lines or len(header) > 1):
            lines.append(row.line)
        else:
            yield row
    if lines[1:]:
        shown = ", ".join(map(str, lines[1 : SHOWN + 1]))
        shown += ", …" if len(lines) > SHOWN + 1 else ""
        again = counted(len(lines) - 1, "rows like the header")
        warn_once(f"{path}: {again} not read, as joined files have them, in lines {shown}")


def _without_lines(rows: Iterator[Row], lines: set[int]) -> Iterator[Row]:
    return (row for row in rows if row.line not in lines)


def _warn(path: Path, rows: Sequence[Row], where: str) -> None:
    """Warns of lines that are not read."""
    if rows:
        warn_once(f"{path}: {named_lines(rows, where)}")
