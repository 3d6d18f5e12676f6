"""Rows of Parquet and Arrow files, whose texts are in UTF-8."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet

from zoo.data.readers.files import opened
from zoo.data.readers.rows import Names, Row
from zoo.errors import UserError


def read_parquet(path: Path, encoding: str | None = None) -> tuple[Names, Iterator[Row]]:
    """The rows of a `.parquet` file."""
    with opened(path):  # for the same error messages about missing files
        pass
    try:
        file = pa.parquet.ParquetFile(path)
    except (pa.ArrowException, OSError) as error:
        raise UserError(f"{path} is not a Parquet file: {error}") from None

    return file.schema_arrow.names, _rows(path, file.iter_batches())


def read_arrow(path: Path, encoding: str | None = None) -> tuple[Names, Iterator[Row]]:
    """The rows of an `.arrow` file, which is a file or a stream."""
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
    return file.schema.names, _rows(path, batches)


def _rows(path: Path, batches: Iterator[pa.RecordBatch]) -> Iterator[Row]:
    number = 0
    try:
        for batch in batches:
            for cells in zip(*(column.to_pylist() for column in batch.columns), strict=True):
                number += 1
                yield Row(number, [text_of(cell) for cell in cells])
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise UserError(f"{path} is damaged: {error}") from None


def text_of(cell: Any) -> str:
    """A value as text; None and NaN are missing values, which become empty."""
    if cell is None or cell != cell:
        return ""
    return cell.decode("utf-8", "replace") if isinstance(cell, bytes) else str(cell)
