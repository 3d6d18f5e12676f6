"""Parquet and Arrow files, whose columns have types."""

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet

from zoo.data.readers.files import opened
from zoo.errors import UserError

ROWS = 1 << 14  # maximum number of rows of a batch
# What a file raises that is damaged; names of columns may not be UTF-8.
UNREADABLE = (pa.ArrowException, OSError, UnicodeDecodeError)


def read_parquet(path: Path) -> tuple[list[str], Iterator[pa.Table]]:
    """The names of the columns of a `.parquet` file, and its rows in batches."""
    with opened(path):  # for the same error messages about missing files
        pass
    try:
        file = pa.parquet.ParquetFile(path)
        names = file.schema_arrow.names
    except UNREADABLE as error:
        raise UserError(f"{path} is not a Parquet file: {error}") from None
    return names, _tables(path, file.iter_batches(ROWS))


def read_arrow(path: Path) -> tuple[list[str], Iterator[pa.Table]]:
    """The names of the columns of an `.arrow` file, a file or a stream, and its rows in batches."""
    with opened(path):
        pass
    try:
        try:
            file = pa.ipc.open_file(pa.memory_map(str(path)))
            batches = (file.get_batch(number) for number in range(file.num_record_batches))
        except pa.ArrowInvalid:
            file = pa.ipc.open_stream(pa.memory_map(str(path)))
            batches = iter(file)
        names = file.schema.names
    except UNREADABLE as error:
        raise UserError(f"{path} is not an Arrow file: {error}") from None
    return names, _tables(path, batches)


def _tables(path: Path, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.Table]:
    try:
        for batch in batches:
            for start in range(0, len(batch), ROWS):
                yield plain(pa.Table.from_batches([batch.slice(start, ROWS)]))
    except UNREADABLE as error:
        raise UserError(f"{path} is damaged: {error}") from None


def plain(table: pa.Table) -> pa.Table:
    """A table with the values of columns that are coded by a dictionary."""
    columns = [
        column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column
        for column in table.columns
    ]
    return pa.table(columns, names=table.column_names)
