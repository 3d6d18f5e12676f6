"""Tables of texts: CSV, TSV, JSON, Parquet and Arrow files, and tables in memory."""

import codecs
import io
import itertools
import json
import pathlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import IO, Any, NamedTuple

import pyarrow as pa
import pyarrow.csv
import pyarrow.ipc
import pyarrow.parquet

from zoo.data.readers.files import IN_MEMORY, format_of, opened
from zoo.data.readers.header import has_header
from zoo.data_statistics import counted
from zoo.errors import UserError
from zoo.json_file import parse_json

SAMPLE = 1000  # number of rows from which the roles of columns are inferred
CHUNK = 1 << 20  # number of bytes read at a time
BLOCK = 16 << 20  # number of bytes parsed at a time, the maximum size of a row
DELIMITERS = ",;\t|"
MAX_COLUMNS = 1000


class Row(NamedTuple):
    """A row of a table.

    Args:
        line: Number of the line, from 1, or of the row in formats without lines.
        cells: The cells; empty for a blank line.
        reason: Why the row is invalid, or None if it is valid.
        problems: Why single cells are invalid, by the name of their column.
    """

    line: int
    cells: list[str]
    reason: str | None = None
    problems: Mapping[str, str] = MappingProxyType({})


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


def read_table(path: pathlib.Path, what: str, named: Sequence[str] = ()) -> Table:
    """Opens a table; the suffix determines the format.

    `.csv`: cells separated by commas (or semicolons, tabs or vertical bars, if the first line has
    no comma), with standard quoting. `.tsv`: cells separated by tabs, without quoting. Both may
    have a header. `.jsonl`: one object per line. `.json`: a list of objects. `.parquet`: Apache
    Parquet. `.arrow`: Apache Arrow, as a file or a stream. All but the last two may be compressed,
    as in `.csv.gz`.

    Args:
        path: The file.
        what: Description of the data, for messages.
        named: Column names that the user gave, which help to recognize a header.

    Raises:
        UserError: If the file is missing, cannot be read, or has an unknown format.
    """
    read = READERS.get(format_of(path))
    if read is None:
        known = ", ".join(READERS)
        raise UserError(f"{path} has an unknown format: {what} can be read from {known} files")
    names, rows = read(path)
    rows = (_checked(row, len(names)) if names else row for row in rows)
    first = list(itertools.islice(rows, SAMPLE))
    sample = [row.cells for row in first if row.cells and row.reason is None]
    header = names is not None
    if names is None:
        width = len(sample[0]) if sample else 0
        header = has_header([cells for cells in sample if len(cells) == width], named)
        if header:
            names = [cell.strip() for cell in sample.pop(0)]
            first.remove(next(row for row in first if row.cells and row.reason is None))
        else:
            names = [str(number) for number in range(1, width + 1)]
    return Table(str(path), names, header, sample, itertools.chain(first, rows))


def table_in_memory(data: Any) -> Table | None:
    """The table of a data frame or of a dictionary of columns; None for anything else."""
    if isinstance(data, Mapping):
        names = list(data)
    elif hasattr(data, "columns") and hasattr(data, "__getitem__"):
        names = list(data.columns)
    else:
        return None
    columns = [list(data[name]) for name in names]
    if len({len(column) for column in columns}) > 1:
        raise UserError(f"{IN_MEMORY}: the columns differ in length")
    rows = [
        Row(number, [_text(cell) for cell in cells])
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
        yield Row(number, [_text(cell) for cell in row])


def _text(cell: Any) -> str:
    if cell is None or cell != cell:
        return ""
    return cell.decode("utf-8", "replace") if isinstance(cell, bytes) else str(cell)


def _checked(row: Row, width: int) -> Row:
    if row.reason is None and row.cells and len(row.cells) != width:
        reason = f"expected {counted(width, 'columns')}, found {len(row.cells)}"
        return row._replace(reason=reason)
    return row


Names = list[str] | None


def _csv(path: pathlib.Path) -> tuple[Names, Iterator[Row]]:
    with opened(path) as file:
        line = next((line for line in file if line.strip()), b"").decode("utf-8", "replace")
    counts = {delimiter: line.count(delimiter) for delimiter in DELIMITERS}
    other = max(counts, key=counts.__getitem__)
    delimiter = other if counts[other] and not counts[","] else ","
    return None, _delimited(path, delimiter, '"')


def _tsv(path: pathlib.Path) -> tuple[Names, Iterator[Row]]:
    return None, _delimited(path, "\t", False)


def _delimited(path: pathlib.Path, delimiter: str, quote: str | bool) -> Iterator[Row]:
    bad: dict[int, tuple[str, str]] = {}  # number of the row -> reason, text

    def keep(row: Any) -> str:
        reason = f"expected {counted(row.expected_columns, 'columns')}, found {row.actual_columns}"
        reason = _not_utf8(row.text) or reason
        if quote and row.text.count('"') % 2:
            reason += "; a quote is not closed"
        bad[row.number] = (reason if row.text.strip() else "", row.text)
        return "skip"

    number, newlines, blank = 0, 0, 0
    with opened(path) as file:
        for line in file:  # the number of columns is that of the first row
            if line.removeprefix(b"\xef\xbb\xbf").strip():
                break
            blank += 1
            yield Row(blank, [])

    def skipped() -> Iterator[Row]:
        nonlocal number, newlines
        while number + 1 in bad:
            number += 1
            reason, text = bad.pop(number)
            yield Row(blank + number + newlines, [], reason or None)
            newlines += text.rstrip("\n").count("\n")

    with opened(path) as file:
        text = _Text(file)
        try:
            reader = pa.csv.open_csv(
                text,
                pa.csv.ReadOptions(
                    use_threads=False,
                    autogenerate_column_names=True,
                    block_size=BLOCK,
                    skip_rows=blank,
                ),
                pa.csv.ParseOptions(
                    delimiter=delimiter,
                    quote_char=quote,
                    newlines_in_values=bool(quote),
                    ignore_empty_lines=False,
                    invalid_row_handler=keep,
                ),
                pa.csv.ConvertOptions(
                    column_types={f"f{place}": pa.binary() for place in range(MAX_COLUMNS)},
                    strings_can_be_null=False,
                ),
            )
            for batch in reader:
                for cells in zip(*(column.to_pylist() for column in batch.columns), strict=True):
                    yield from skipped()
                    number += 1
                    row = _decoded(blank + number + newlines, cells)
                    # An unclosed quote makes the rest of the file part of the last cell.
                    if quote and text.quotes % 2 and cells[-1].endswith(b"\n"):
                        row = row._replace(reason="a quote is not closed")
                    yield row
                    newlines += sum(cell.count(b"\n") for cell in cells)
            yield from skipped()
        except pa.ArrowInvalid as error:
            if "Empty CSV" not in str(error):
                long = f"a row is longer than {BLOCK >> 20} MB; is a quote not closed?"
                reason = long if "straddl" in str(error) else str(error)
                yield Row(blank + number + newlines + 1, [], reason)


class _Text(io.RawIOBase):
    """Converts a file to what Arrow can read: valid UTF-8 with a newline at the end.

    Invalid bytes are replaced by markers, since Arrow reports them without the line. Arrow would
    ignore the only row of a file that does not end with a newline.
    """

    def __init__(self, file: IO[bytes]) -> None:
        self._file, self._buffer, self._at_end, self._open = file, b"", False, False
        self._decode = codecs.getincrementaldecoder("utf-8")("mark").decode
        self.quotes = 0

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        while not self._at_end and (size < 0 or len(self._buffer) < size):
            data = self._file.read(CHUNK)
            self._at_end = not data
            self._buffer += self._decode(data, final=self._at_end).encode()
            self.quotes += data.count(b'"')
            if data and not data.endswith(b"\n"):
                self._open = True
            elif data:
                self._open = False
        if self._at_end and self._open:
            self._buffer, self._open = self._buffer + b"\n", False
        size = len(self._buffer) if size < 0 else size
        found, self._buffer = self._buffer[:size], self._buffer[size:]
        return found


def _mark(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeDecodeError)
    return f"\0{error.object[error.start]:02x}\0", error.start + 1


codecs.register_error("mark", _mark)
MARKED = re.compile("\0([0-9a-f]{2})\0")


def _not_utf8(text: str) -> str | None:
    found = MARKED.search(text)
    return f"byte 0x{found[1]} is not UTF-8" if found else None


def _decoded(line: int, cells: Sequence[bytes]) -> Row:
    if not any(cell.strip() for cell in cells):
        return Row(line, [])
    texts = [cell.decode() for cell in cells]
    return Row(line, texts, next(filter(None, map(_not_utf8, texts)), None))


def _jsonl(path: pathlib.Path) -> tuple[Names, Iterator[Row]]:
    def objects() -> Iterator[tuple[int, Any]]:
        with opened(path) as file:
            for number, line in enumerate(file, 1):
                yield number, _parsed(line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line)

    return _objects(objects)


def _json(path: pathlib.Path) -> tuple[Names, Iterator[Row]]:
    with opened(path) as file:
        found = _parsed(file.read())
    if isinstance(found, str) or not isinstance(found, list):
        raise UserError(f"{path}: expected a list of objects; found {found}")
    return _objects(lambda: enumerate(found, 1))


def _parsed(text: bytes) -> Any:
    """Parses JSON. Returns a string if it is invalid, the reason, and None for a blank line."""
    if not text.strip():
        return None
    try:
        found = parse_json(text.decode())
    except UnicodeDecodeError as error:
        return f"byte 0x{text[error.start]:02x} is not UTF-8"
    except ValueError as error:
        return f"not JSON: {error}"
    return found if isinstance(found, dict | list) else "expected an object"


def _objects(objects: Callable[[], Iterable[tuple[int, Any]]]) -> tuple[Names, Iterator[Row]]:
    """The rows of JSON objects; the columns are the keys of the first objects."""
    names: dict[str, None] = {}
    for _, found in itertools.islice(objects(), SAMPLE):
        names |= dict.fromkeys(found if isinstance(found, dict) else ())

    def rows() -> Iterator[Row]:
        for number, found in objects():
            if found is None:
                yield Row(number, [])
            elif isinstance(found, str):
                yield Row(number, [], found)
            elif not isinstance(found, dict):
                yield Row(number, [], "expected an object")
            else:
                keys = ", ".join(f'"{key}"' for key in found)
                missing = {
                    name: f'no "{name}"; the keys are {keys}' for name in names if name not in found
                }
                nested = {
                    name: f'"{name}" is not a string'
                    for name, value in found.items()
                    if isinstance(value, dict | list)
                }
                cells = [_json_text(found.get(name)) for name in names]
                yield Row(number, cells, None, {**missing, **nested})

    return list(names), rows()


def _json_text(value: Any) -> str:
    if value is None or value != value:  # NaN, which some write for a missing value
        return ""
    return value if isinstance(value, str) else json.dumps(value)


def texts_of(cell: str) -> list[str] | None:
    """The texts of a cell that is a list of them in JSON; None for another cell.

    Example:
        >>> texts_of('["a hat", "a cap"]'), texts_of("[a hat]"), texts_of("[]")
        (['a hat', 'a cap'], None, None)
    """
    try:
        found = parse_json(cell) if cell.startswith("[") else None
    except ValueError:
        return None
    texts = isinstance(found, list) and all(isinstance(x, str) and x.strip() for x in found)
    return found if texts and found else None


def _parquet(path: pathlib.Path) -> tuple[Names, Iterator[Row]]:
    with opened(path):  # for the same error messages about missing files
        pass
    try:
        file = pa.parquet.ParquetFile(path)
    except (pa.ArrowException, OSError) as error:
        raise UserError(f"{path} is not a Parquet file: {error}") from None

    return file.schema_arrow.names, _arrow_rows(path, file.iter_batches())


def _arrow(path: pathlib.Path) -> tuple[Names, Iterator[Row]]:
    with opened(path):
        pass
    try:
        try:
            file = pa.ipc.open_file(pa.memory_map(str(path)))
            batches = (file.get_batch(number) for number in range(file.num_record_batches))
        except pa.ArrowInvalid:
            file = pa.ipc.open_stream(pa.memory_map(str(path)))
            batches = iter(file)
    except (pa.ArrowException, OSError) as error:
        raise UserError(f"{path} is not an Arrow file: {error}") from None
    return file.schema.names, _arrow_rows(path, batches)


def _arrow_rows(path: pathlib.Path, batches: Iterator[pa.RecordBatch]) -> Iterator[Row]:
    number = 0
    try:
        for batch in batches:
            for cells in zip(*(column.to_pylist() for column in batch.columns), strict=True):
                number += 1
                yield Row(number, [_text(cell) for cell in cells])
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise UserError(f"{path} is damaged: {error}") from None


READERS: dict[str, Callable[[pathlib.Path], tuple[Names, Iterator[Row]]]] = {
    ".csv": _csv,
    ".tsv": _tsv,
    ".jsonl": _jsonl,
    ".json": _json,
    ".parquet": _parquet,
    ".arrow": _arrow,
}
