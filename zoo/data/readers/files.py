"""Data files: one, several, a pattern or a folder; plain or compressed; bytes, or text."""

import codecs
import errno
import glob
import gzip
import io
import os
import pathlib
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from functools import lru_cache
from typing import IO, TYPE_CHECKING, Any, BinaryIO, TextIO, cast

from zoo.data.readers.alphabets import UTF_8, odd_look
from zoo.data.readers.encodings import (
    KEEP_INVALID,
    check_encoding,
    encoding_of,
    invalid_byte,
    is_valid,
    likely_encoding,
    wide_encoding,
)
from zoo.data.readers.signatures import not_text
from zoo.data_statistics import LOGGER
from zoo.errors import DataError, UserError
from zoo.option_names import option_name, option_value
from zoo.untrusted import open_regular

if TYPE_CHECKING:
    from typing_extensions import TypeIs

IN_MEMORY = "data in memory"
COMPRESSED = (".gz", ".zst")
NAMED = 3  # maximum number of files that a message names
ENOUGH = 3  # number of bytes that are not valid by which a file has another encoding
START = 1 << 16  # number of bytes that show the encoding and the line ends

Paths = str | os.PathLike | list[pathlib.Path]


def is_path(data: object) -> "TypeIs[Paths]":
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
    matches = sorted(map(pathlib.Path, glob.glob(str(path), recursive=True)))
    if not matches:
        raise UserError(f"no file matches {path}")
    return matches


def name_of(data: object) -> str:
    """The name of the data in messages; of several tasks, those of the data of each."""
    if isinstance(data, Mapping):
        return ", ".join(name_of(each) for each in data.values())
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


@dataclass
class TextFile:
    """An open text file.

    Args:
        path: Its path.
        stream: Its text without a byte order mark. Bytes that are not valid are kept as surrogates,
            which `problem` finds.
        encoding: Its encoding.
    """

    path: pathlib.Path
    stream: TextIO
    encoding: str
    _advice: str | None = field(default=None, repr=False)

    def problem(self, text: str, line: int, column: bool = False) -> str | None:
        """Why a part of the text is not valid; None if it is.

        Args:
            text: The part.
            line: Number of its line, from 1.
            column: Whether it is a whole line, of which the message names the column.

        Raises:
            DataError: If it is not valid because the whole file has another encoding.
        """
        reason = invalid_byte(text, self.encoding, column)
        if reason is None:
            return None
        if self._advice is None:
            with opened(self.path) as file:
                likely, invalid = likely_encoding(file)
            advice = f"; the file seems to be {likely}: give {option_value('encoding', likely)}"
            self._advice = advice if likely else ""
            if likely and invalid >= ENOUGH:
                raise DataError(self.path, line, f"{reason}{self._advice}")
        return f"{reason}{self._advice}"

    def check(self, text: str, line: int) -> None:
        """Refuses a part of the text that is not valid.

        Args:
            text: The part, of one or several lines.
            line: Number of its first line, from 1.

        Raises:
            DataError: If it is not valid.
        """
        if not is_valid(text):
            for number, each in enumerate(text.split("\n"), line):
                if (reason := self.problem(each, number)) is not None:
                    raise DataError(self.path, number, reason)


@contextmanager
def opened_text(
    path: pathlib.Path, encoding: str | None = None, newline: str | None = None
) -> Iterator[TextFile]:
    """Opens a text file, which may be compressed.

    Args:
        path: The file.
        encoding: The encoding of a file without a byte order mark, by default UTF-8. A file that is
            UTF-8 is read as such, whatever is given: it may be that of the training data.
        newline: What ends a line; "" for each of "\\n", "\\r\\n" and "\\r", which are kept. By
            default "\\n" or, in files that have none, as old Macs wrote them, "\\r".

    Raises:
        UserError: If the file is missing, cannot be read, or the encoding is unknown; or if it is
            UTF-16 without a mark, and no encoding is given; or if it is no text.
    """
    if encoding is not None:
        check_encoding(encoding)
    with opened(path) as file:
        start = file.read(START)
    if reason := not_text(start):
        raise UserError(f"{path} is {reason}")
    mark, name = encoding_of(start, encoding)
    if encoding is not None and not mark:
        name = _encoding_by_look(path, start, name)
    if encoding is None and not mark and (wide := wide_encoding(start)):
        advice = option_value("encoding", wide)
        raise UserError(f"{path} seems to be {wide} without a byte order mark: give {advice}")
    if newline is None:
        text = start[len(mark) :].decode(name, "ignore")
        newline = "\r" if "\r" in text and "\n" not in text else "\n"
    with opened(path) as file:
        file.read(len(mark))
        yield TextFile(path, io.TextIOWrapper(file, name, KEEP_INVALID, newline), name)


@lru_cache(maxsize=1 << 10)  # warns once for each file
def _encoding_by_look(path: pathlib.Path, start: bytes, encoding: str) -> str:
    """UTF-8 for a file that is not in the encoding that was given, but in UTF-8 from end to end."""
    look = odd_look(start, encoding)
    if look is None:
        return encoding
    if look.likely == UTF_8 and _is_utf8(path):
        LOGGER.warning(f"{path} {look}: it is read as UTF-8")
        return UTF_8
    LOGGER.warning(f"{path} {look}: is {option_name('encoding')} right?")
    return encoding


def _is_utf8(path: pathlib.Path) -> bool:
    """Whether all of a file can be decoded as UTF-8."""
    decoder = codecs.getincrementaldecoder(UTF_8)()
    with opened(path) as file:
        try:
            while part := file.read(START):
                decoder.decode(part)
            decoder.decode(b"", final=True)
        except UnicodeDecodeError:
            return False
    return True


def read_lines(path: pathlib.Path, encoding: str | None = None) -> Iterator[str]:
    """Yields the lines of a text file, each with "\\n" at its end, without a byte order mark.

    Lines end at newlines only, unlike those of `str.splitlines`, and also at "\\r\\n" if the
    first does.

    Args:
        path: The file.
        encoding: The encoding of a file without a byte order mark, by default UTF-8.

    Raises:
        DataError: If a line is not valid in this encoding.
        UserError: If the file is missing or cannot be read.
    """
    with opened_text(path, encoding) as file:
        end = "\n"
        for number, line in enumerate(file.stream, 1):
            if number == 1 and line.endswith(("\r\n", "\r")):
                end = "\r\n" if line.endswith("\n") else "\r"
            if (reason := file.problem(line, number, column=True)) is not None:
                raise DataError(path, number, reason)
            yield line.removesuffix(end) + "\n" if line.endswith(end) else line
