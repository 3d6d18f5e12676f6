"""Data files: one, several, a pattern or a folder; plain, or compressed with gzip or Zstandard."""

import errno
import glob
import gzip
import io
import os
import pathlib
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import IO, Any, BinaryIO, TypeGuard, cast

from zoo.errors import DataError, UserError
from zoo.untrusted import open_regular

IN_MEMORY = "data in memory"
COMPRESSED = (".gz", ".zst")
NAMED = 3  # maximum number of files that a message names

Paths = str | os.PathLike | list[pathlib.Path]


def is_path(data: Any) -> TypeGuard[Paths]:
    """Whether the data are in files: a path, or a list of `pathlib.Path`.

    A list of text is data in memory.
    """
    if isinstance(data, list | tuple):
        return bool(data) and all(isinstance(each, os.PathLike) for each in data)
    return isinstance(data, str | os.PathLike)


def paths_of(data: Paths) -> list[pathlib.Path]:
    """The files of a path, of a pattern such as `data/*.csv`, or of a list of both.

    Raises:
        UserError: If no file matches a pattern.
    """
    if isinstance(data, list | tuple):
        return [path for each in data for path in paths_of(each)]
    path = pathlib.Path(data)
    if not glob.has_magic(str(path)) or path.exists():
        return [path]
    found = sorted(map(pathlib.Path, glob.glob(str(path), recursive=True)))
    if not found:
        raise UserError(f"no file matches {path}")
    return found


def name_of(data: Any) -> str:
    """The name of the data in messages."""
    if not is_path(data):
        return IN_MEMORY
    names = [str(path) for path in (data if isinstance(data, list | tuple) else [data])]
    more = [f"{len(names) - NAMED} more"] if len(names) > NAMED else []
    return ", ".join(names[:NAMED] + more)


def format_of(path: pathlib.Path) -> str:
    """The suffix that determines the format of a file, ignoring a compression suffix.

    Example:
        >>> format_of(pathlib.Path("train.CSV.gz"))
        '.csv'
    """
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if suffixes and suffixes[-1] in COMPRESSED:
        suffixes.pop()
    return suffixes[-1] if suffixes else ""


def _zstandard(file: BinaryIO) -> IO[bytes]:
    import pyarrow as pa  # the command line imports this file without it

    return io.BufferedReader(pa.input_stream(file, compression="zstd"))


_DECOMPRESSED: dict[str, Callable[..., Any]] = {".gz": gzip.open, ".zst": _zstandard}


@contextmanager
def opened(path: pathlib.Path) -> Iterator[IO[bytes]]:
    """Opens a file to read bytes, decompressing it if it ends in `.gz` or `.zst`.

    Raises:
        UserError: If the file is missing, is no regular file, cannot be read, or is damaged.
    """
    if path.is_dir():
        raise UserError(f"cannot read {path}: {os.strerror(errno.EISDIR)}")
    try:
        plain = open_regular(path)
    except ValueError:
        raise UserError(f"{path} is not a regular file: write the data to a file first") from None
    except FileNotFoundError:
        raise UserError(f"{path} does not exist") from None
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror or error}") from None
    decompressed = _DECOMPRESSED.get(path.suffix.lower())
    try:
        with plain, decompressed(plain) if decompressed else nullcontext(plain) as file:
            yield cast(IO[bytes], file)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise UserError(f"{path} is not a complete gzip file: {error}") from None
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror or error}") from None


def read_lines(path: pathlib.Path) -> Iterator[str]:
    """Yields the lines of a UTF-8 file with their newlines, without a byte order mark.

    Lines end at newlines only, unlike those of `str.splitlines`.

    Raises:
        DataError: If a line is not valid UTF-8.
        UserError: If the file is missing or cannot be read.
    """
    with opened(path) as file:
        for number, line in enumerate(file, 1):
            try:
                yield line.decode("utf-8-sig" if number == 1 else "utf-8")
            except UnicodeDecodeError as error:
                byte = line[error.start]
                reason = f"byte 0x{byte:02x} at column {error.start + 1} is not UTF-8"
                raise DataError(path, number, reason) from None
