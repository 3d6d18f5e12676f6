"""Tables that are written part by part: CSV, TSV, JSON lines, Parquet and Excel workbooks."""

import csv
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Protocol

import pyarrow as pa
import pyarrow.parquet

from zoo.atomic import replacing
from zoo.data.readers.table import as_texts
from zoo.data.xlsx_writer import XlsxWriter
from zoo.errors import UserError
from zoo.lines import LINE_BREAK

CSV, TSV, JSONL, PARQUET, XLSX = ".csv", ".tsv", ".jsonl", ".parquet", ".xlsx"


class TableWriter(Protocol):
    """Writes the rows of a table."""

    def write(self, part: pa.Table) -> None:
        """Writes further rows. All parts have the same columns."""


class ClosedWriter(TableWriter, Protocol):
    """Writes a file that is whole only at its end."""

    def close(self) -> None:
        """Ends the file."""

    def abandon(self) -> None:
        """Leaves the file as it is, without its end."""


class CsvWriter:
    """Cells with commas between them, in quotes where needed (RFC 4180).

    Args:
        stream: Where to.
        header: Whether the first line has the names of the columns.
    """

    def __init__(self, stream: IO[str], header: bool = True) -> None:
        self._csv, self._header = csv.writer(stream, lineterminator="\n"), header

    def write(self, part: pa.Table) -> None:
        if self._header:
            self._csv.writerow(part.column_names)
        self._header = False
        self._csv.writerows(zip(*map(as_texts, part.columns), strict=True))


class TsvWriter:
    """Cells with tabs between them. Tabs and line breaks in cells become spaces.

    Args:
        stream: Where to.
        header: Whether the first line has the names of the columns.
    """

    def __init__(self, stream: IO[str], header: bool = True) -> None:
        self._stream, self._header = stream, header

    def write(self, part: pa.Table) -> None:
        if self._header:
            self._row(part.column_names)
        self._header = False
        for row in zip(*map(as_texts, part.columns), strict=True):
            self._row(row)

    def _row(self, cells: Sequence[str]) -> None:
        plain = (LINE_BREAK.sub(" ", cell).replace("\t", " ") for cell in cells)
        self._stream.write("\t".join(plain) + "\n")


class JsonlWriter:
    """A JSON object in each line. Missing values are null, and dates are text.

    Args:
        stream: Where to.
        header: Ignored: each object names its values.
    """

    def __init__(self, stream: IO[str], header: bool = True) -> None:
        self._stream = stream

    def write(self, part: pa.Table) -> None:
        for row in part.to_pylist():
            self._stream.write(json.dumps(row, ensure_ascii=False, default=str) + "\n")


class ParquetWriter:
    """A Parquet file, whose columns have the types of the first part.

    Args:
        path: The file.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: pyarrow.parquet.ParquetWriter | None = None

    def write(self, part: pa.Table) -> None:
        if self._file is None:
            self._file = pyarrow.parquet.ParquetWriter(self._path, part.schema)
        self._file.write_table(part.cast(self._file.schema))

    def close(self) -> None:
        """Ends the file."""
        if self._file is not None:
            self._file.close()

    def abandon(self) -> None:
        """Leaves the file as it is."""


TO_STREAMS: dict[str, Callable[[IO[str], bool], TableWriter]] = {
    CSV: CsvWriter,
    TSV: TsvWriter,
    JSONL: JsonlWriter,
}
# Of files that cannot be continued.
TO_FILES: dict[str, Callable[[Path], ClosedWriter]] = {PARQUET: ParquetWriter, XLSX: XlsxWriter}
FORMATS = (*TO_STREAMS, *TO_FILES)


@contextmanager
def writing_table(path: Path, header: bool = True) -> Iterator[TableWriter]:
    """Context manager that writes a table; an existing file is replaced if the block succeeds.

    Args:
        path: The file, whose suffix is the format.
        header: Whether the file names the columns, in formats that need not.

    Raises:
        UserError: If the suffix is of no known format, or there is no such folder.
    """
    check_format(path)
    suffix = path.suffix.lower()
    with replacing(path) as partial:
        if suffix in TO_FILES:
            writer = TO_FILES[suffix](partial)
            try:
                yield writer
            except BaseException:
                writer.abandon()
                raise
            writer.close()
        else:
            with partial.open("w", encoding="utf-8", newline="") as stream:
                yield TO_STREAMS[suffix](stream, header)


def check_format(path: Path) -> None:
    """Checks that a table can be written to a file.

    Raises:
        UserError: If the suffix is of no known format, or there is no such folder.
    """
    if path.suffix.lower() not in FORMATS:
        raise UserError(f"{path} must end with {', '.join(FORMATS[:-1])} or {FORMATS[-1]}")
    if not path.parent.is_dir():
        raise UserError(f"{path.parent} is not a folder: create it first")
