"""Rows of delimited text files: CSV, and TSV."""

import csv
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path

from zoo.data.readers.dialect import Dialect, Quoting, csv_dialect, tsv_dialect
from zoo.data.readers.files import START, TextFile, opened_text
from zoo.data.readers.rows import Names, Row

LONGEST = 16 << 20  # characters of a cell; a longer one probably has a quote that is not closed
MISSING = r"\N"  # as databases write it
NOT_CLOSED = "a quote is not closed"

if csv.field_size_limit() < LONGEST:  # of all readers in this process; 128 kB by default
    csv.field_size_limit(LONGEST)


def read_csv(path: Path, encoding: str | None = None) -> tuple[Names, Iterator[Row]]:
    """The rows of a `.csv` file; see `csv_dialect`."""
    return None, _rows(path, encoding, csv_dialect)


def read_tsv(path: Path, encoding: str | None = None) -> tuple[Names, Iterator[Row]]:
    """The rows of a `.tsv` file; see `tsv_dialect`."""
    return None, _rows(path, encoding, tsv_dialect)


def _rows(
    path: Path, encoding: str | None, dialect_of: Callable[[str, bool], Dialect]
) -> Iterator[Row]:
    with opened_text(path, encoding, newline="") as file:
        sample = file.stream.read(START)
    dialect = dialect_of(sample, len(sample) < START)
    quoted = dialect.quoting is not Quoting.NONE
    with opened_text(path, encoding, newline="" if quoted else None) as file:
        read = _quoted if quoted else _plain
        for row in read(file, dialect):
            line, cells, reason = row[:3]
            if MISSING in cells:
                cells = ["" if cell == MISSING else cell for cell in cells]
            if not all(map(str.isascii, cells)):
                problems = (file.problem(cell, line) for cell in cells)
                reason = next(filter(None, problems), reason)
            if reason is None and not any(map(str.strip, cells)):
                cells = []  # a blank line
            yield Row(line, cells, reason)


def _plain(file: TextFile, dialect: Dialect) -> Iterator[Row]:
    """The rows of a file without quoting."""
    for number, line in enumerate(file.stream, 1):
        if number > dialect.skip:
            yield Row(number, dialect.cells(line))


class _Lines:
    """The lines of a file for a CSV reader, which may be given back.

    Attributes:
        row: The lines since the row began.
        number: Number of the line where the row began.
        at_end: Whether a line was asked for after the last one.
    """

    def __init__(self, file: TextFile, skip: int) -> None:
        self._lines, self._again = iter(file.stream), deque[str]()
        self.row: list[str] = []
        self.number, self.at_end = 1, False
        for _ in range(skip):
            next(self)
        self.begin_row()

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        try:
            line = self._again.popleft() if self._again else next(self._lines)
        except StopIteration:
            self.at_end = True
            raise
        self.row.append(line)
        return line

    def begin_row(self) -> None:
        self.number += len(self.row)
        self.row = []

    def give_back(self) -> None:
        """Reads all lines of the row but the first once more."""
        self._again.extendleft(reversed(self.row[1:]))
        self.row, self.at_end = self.row[:1], False


def _quoted(file: TextFile, dialect: Dialect) -> Iterator[Row]:
    """The rows of a file with quoting. Of a row with a quote that is not closed, only the first
    line is invalid."""
    lines = _Lines(file, dialect.skip)
    reader = dialect.rows(lines)
    while True:
        try:
            cells, reason = next(reader), None
        except StopIteration:
            return
        except csv.Error as error:
            cells, reason = [], str(error)
        if lines.at_end or reason is not None or not _is_well_formed(lines.row, dialect):
            cells, reason = (
                next(dialect.rows([lines.row[0].replace(dialect.quote, "")])),
                NOT_CLOSED,
            )
            lines.give_back()
        yield Row(lines.number, cells, reason)
        lines.begin_row()


def _is_well_formed(lines: list[str], dialect: Dialect) -> bool:
    """Whether no text follows a closing quote, in a row of several lines."""
    if len(lines) < 2:
        return True
    try:
        return bool(next(dialect.rows(lines, strict=True)))
    except csv.Error:
        return False
