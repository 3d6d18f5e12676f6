"""Tables of texts: CSV, TSV, JSON, Parquet and Arrow files, and tables in memory."""

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from zoo.data.readers.arrow_rows import read_arrow, read_parquet, text_of
from zoo.data.readers.delimited import read_csv, read_tsv
from zoo.data.readers.files import IN_MEMORY, format_of
from zoo.data.readers.header import Layout, check_names, layout_of
from zoo.data.readers.json_rows import read_json, read_jsonl, texts_of
from zoo.data.readers.rows import Names, Row
from zoo.data_statistics import counted
from zoo.errors import UserError

__all__ = [
    "READERS",
    "Row",
    "Table",
    "read_table",
    "rows_in_memory",
    "table_in_memory",
    "texts_of",
]

SAMPLE = 1000  # number of rows from which the roles of columns are inferred
READERS: dict[str, Callable[[Path, str | None], tuple[Names, Iterator[Row]]]] = {
    ".csv": read_csv,
    ".tsv": read_tsv,
    ".jsonl": read_jsonl,
    ".json": read_json,
    ".parquet": read_parquet,
    ".arrow": read_arrow,
    ".tab": read_tsv,
}


@dataclass
class Table:
    """The rows of a file, and the names of its columns.

    Args:
        path: Path of the file, for messages.
        names: Names of the columns, or their numbers from 1 if the file has no header.
        header: Whether the file names the columns.
        sample: The first valid rows.
        rows: Iterator over all rows.
    """

    path: str
    names: list[str]
    header: bool
    sample: list[list[str]]
    rows: Iterator[Row]


def read_table(
    path: Path, what: str, named: Sequence[str] = (), encoding: str | None = None
) -> Table:
    """Opens a table; the suffix determines the format.

    `.csv`: cells separated by commas, semicolons, tabs or vertical bars, with quoting. `.tsv` and
    `.tab`: cells separated by tabs. These may have a header. `.jsonl`: one object per line.
    `.json`: a list of objects. `.parquet`: Apache Parquet. `.arrow`: Apache Arrow, as a file or a
    stream. All but the last two may be compressed, as in `.csv.gz`.

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
    read = READERS.get(format_of(path))
    if read is None:
        known = ", ".join(READERS)
        raise UserError(f"{path} has an unknown format: {what} can be read from {known} files")
    names, rows = read(path, encoding)
    first = list(itertools.islice(rows, SAMPLE))
    sample = [row.cells for row in first if row.cells and row.reason is None]
    layout = layout_of(sample, named) if names is None else Layout.named(names, names)
    every: Iterator[Row] = itertools.chain(first, rows)
    if names is None and layout.header is not None:
        every = _without_header(every, layout.header)
    layout = layout.without_nameless([cells for cells in sample if len(cells) == layout.width])
    check_names(layout.names, path)
    fitting = (fitted(row, layout) for row in every)
    first = list(itertools.islice(fitting, SAMPLE))
    return Table(
        str(path),
        layout.names,
        layout.header is not None,
        [row.cells for row in first if row.cells and row.reason is None],
        itertools.chain(first, fitting),
    )


def _without_header(rows: Iterator[Row], header: list[str]) -> Iterator[Row]:
    found = False
    for row in rows:
        if found or row.cells != header or row.reason is not None:
            yield row
        else:
            found = True


def fitted(row: Row, layout: Layout) -> Row:
    """A row with the cells of the columns of a layout, or the reason why it has others."""
    if row.reason is not None or not row.cells:
        return row
    cells = layout.fit(row.cells)
    if cells is None:
        width = counted(layout.width, "columns")
        return row._replace(reason=f"expected {width}, found {len(row.cells)}")
    return row if cells is row.cells else row._replace(cells=cells)


def table_in_memory(data: Any) -> Table | None:
    """The table of a data frame or of a dictionary of columns; None for anything else."""
    if isinstance(data, Mapping):
        names = list(data)
    elif hasattr(data, "columns") and hasattr(data, "__getitem__"):
        names = list(data.columns)
    else:
        return None
    check_names([str(name) for name in names], IN_MEMORY)
    columns = [list(data[name]) for name in names]
    if len({len(column) for column in columns}) > 1:
        raise UserError(f"{IN_MEMORY}: the columns differ in length")
    rows = [
        Row(number, [text_of(cell) for cell in cells])
        for number, cells in enumerate(zip(*columns, strict=True), 1)
    ]
    sample = [row.cells for row in rows[:SAMPLE]]
    return Table(IN_MEMORY, [str(name) for name in names], True, sample, iter(rows))


def rows_in_memory(data: Iterable[Any]) -> Iterator[Row]:
    """The rows of a list; None and NaN are missing values, which become empty cells."""
    for number, row in enumerate(data, 1):
        if isinstance(row, str):  # otherwise its characters would be the cells
            yield Row(number, [], "expected a tuple of texts, found one text")
            continue
        yield Row(number, [text_of(cell) for cell in row])
