"""Tables that are written part by part, and continued after an interruption."""

import os
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO

import pyarrow as pa

from export.files import locked_file, sync
from zoo.atomic import reporting_full_disk
from zoo.data.table_writer import (
    TO_FILES,
    TO_STREAMS,
    TableWriter,
    check_format,
    writing_table,
)
from zoo.data_statistics import LOGGER
from zoo.errors import UserError
from zoo.json_file import read_json, write_json

SECONDS = 2.0  # between two records of what is written


@dataclass(frozen=True)
class Written:
    """How much of a table is written.

    Args:
        parts: Number of parts.
        rows: Number of rows.
        size: Number of bytes; 0 if it does not matter.
    """

    parts: int = 0
    rows: int = 0
    size: int = 0


class CountedWriter:
    """A `TableWriter` that counts.

    Args:
        writer: Where the rows go.
        written: What is written already.
    """

    def __init__(self, writer: TableWriter, written: Written = Written()) -> None:  # noqa: B008
        self._writer, self.written = writer, written

    def write(self, part: pa.Table) -> None:
        """Writes further rows. All parts have the same columns."""
        self._writer.write(part)
        self.written = Written(self.written.parts + 1, self.written.rows + len(part))


class _RecordingWriter(CountedWriter):
    """A `CountedWriter` that keeps a record for the next process."""

    def __init__(
        self, stream: IO[str], writer: TableWriter, written: Written, record: Path, key: str
    ) -> None:
        super().__init__(writer, written)
        self._stream, self._record, self._key = stream, record, key
        self._saved = float("-inf")

    def write(self, part: pa.Table) -> None:
        super().write(part)
        self._stream.flush()
        size = os.fstat(self._stream.fileno()).st_size
        self.written = Written(self.written.parts, self.written.rows, size)
        if time.monotonic() > self._saved + SECONDS:
            self.save()

    def save(self) -> None:
        """Records what is written."""
        write_json(self._record, {"key": self._key, **asdict(self.written)})
        self._saved = time.monotonic()


@contextmanager
def continued_table(path: Path, key: str, header: bool = True) -> Iterator[CountedWriter]:
    """Context manager that writes a table; an existing file is replaced if the block succeeds.

    If it does not succeed, or the process is killed, the rows stay beside the file, in
    `partial.NAME`, and the next call with the same key goes on after them: the block must leave out
    as many parts as are written. A Parquet file or a workbook cannot be continued: it is begun
    anew.

    Args:
        path: The file, whose suffix is the format.
        key: What the rows depend on; empty if the table cannot be continued.
        header: Whether the file names the columns, in formats that need not.

    Raises:
        UserError: If the suffix is of no known format, there is no such folder, or another process
            writes the same table.
    """
    check_format(path)
    suffix = path.suffix.lower()
    if suffix in TO_FILES or not key:
        with writing_table(path, header) as writer:
            yield CountedWriter(writer)
        return
    partial = path.with_name(f"partial.{path.name}")
    record = partial.with_name(f"{partial.name}.json")
    with reporting_full_disk(path), _alone(path):
        written = _recorded(record, partial, key)
        if not written.rows:
            record.unlink(missing_ok=True)
            partial.unlink(missing_ok=True)  # it may be a link to another file
        with partial.open("a", encoding="utf-8", newline="") as stream:
            stream.truncate(written.size)
            rows = TO_STREAMS[suffix](stream, header and not written.rows)
            writer = _RecordingWriter(stream, rows, written, record, key)
            try:
                yield writer
            except BaseException:
                _keep(writer, partial)
                raise
        sync(partial)
        os.replace(partial, path)
        record.unlink(missing_ok=True)
        sync(path.parent)


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Context manager in which no other process writes the same table."""
    with ExitStack() as stack:
        try:
            stack.enter_context(locked_file(path.with_name(f".{path.name}.lock")))
        except BlockingIOError:
            raise UserError(
                f"another process is writing {path}: wait until it ends, or name another file"
            ) from None
        except ValueError as error:
            raise UserError(error) from None
        yield


def _recorded(record: Path, partial: Path, key: str) -> Written:
    """How much of a file can be kept; nothing if there is none, or its rows would be others."""
    try:
        content = read_json(record, dict)
        written = Written(*(int(content[name]) for name in ("parts", "rows", "size")))
        same = content["key"] == key and not partial.is_symlink()
        return written if same and partial.stat().st_size >= written.size else Written()
    except (OSError, ValueError, KeyError, TypeError):
        return Written()


def _keep(writer: _RecordingWriter, partial: Path) -> None:
    """Keeps the rows that are written, if there are any."""
    if not writer.written.rows:
        partial.unlink()
        return
    writer.save()
    LOGGER.warning(
        f"{partial} has the first {writer.written.rows:,} rows: the same command continues after "
        "them"
    )
