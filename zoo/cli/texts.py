"""The texts that `predict` answers: its arguments, or the lines of a file or of standard input."""

import io
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, TextIO

from zoo.data.readers.encodings import KEEP_INVALID, check_encoding, encoding_of, invalid_byte
from zoo.data.readers.files import format_of, read_lines
from zoo.data_statistics import LOGGER
from zoo.errors import DataError, UserError

STDIN = "standard input"
STANDARD = Path("-")  # stands for standard input as a table
TEXTS = (".txt", ".text", ".md", ".log")  # suffixes of files with a text on each line


def standard_input() -> TextIO:
    """Standard input.

    Raises:
        UserError: If it is closed.
    """
    if sys.stdin is None or sys.stdin.closed:
        raise UserError(f"{STDIN} is closed: give texts, or a file with --file")
    return sys.stdin


def check_texts(texts: Sequence[str]) -> None:
    """Refuses arguments that are files rather than texts, for tasks that take texts.

    A word may be meant that is the name of a folder or file as well: this is a warning.

    Raises:
        UserError: If one is an existing folder or file, and its name has a "/" or a suffix, by
            which a word differs from it.
    """
    for text in texts:
        try:
            path = Path(text)
            there = bool(text) and path.exists()
        except (OSError, ValueError):  # too long for a path
            continue
        if not there:
            continue
        if not ("/" in text or os.sep in text or path.suffix):
            what = "folder" if path.is_dir() else "file"
            LOGGER.warning("%s is the name of a %s, too: it is read as a text", text, what)
            continue
        if path.is_dir():
            raise UserError(
                f"{text} is a folder: give texts, or a file with a text on each line with --file"
            )
        if is_table(path):
            raise UserError(
                f"{text} is a table: give --file {text} to predict for each of its rows"
            )
        if format_of(path) in TEXTS:
            raise UserError(
                f"{text} is a file: give --file {text} to predict for each of its lines"
            )
        raise UserError(f"{text} is a file, and this task reads texts: give a text, or --file")


def lines_of(path: Path | None, encoding: str | None = None) -> Iterator[str]:
    """The lines of a file, or of standard input, without their ends.

    Args:
        path: The file; None for standard input.
        encoding: The encoding of input without a byte order mark, by default UTF-8.

    Raises:
        UserError: If the file is a folder.
    """
    if path is None:
        return _of_stream(encoding)
    if path.is_dir():
        raise UserError(f"--file {path} is a folder: give a file with a text on each line")
    return (line.rstrip("\r\n") for line in read_lines(path, encoding))


def is_table(path: Path) -> bool:
    """Whether the name of a file is that of a table."""
    from zoo.data.readers.tables import TABLE_FORMATS  # which takes a moment to import

    return format_of(path) in TABLE_FORMATS


def _of_stream(encoding: str | None) -> Iterator[str]:
    if encoding is not None:
        check_encoding(encoding)
    given: Any = standard_input().buffer
    stream = given if isinstance(given, io.BufferedReader) else io.BufferedReader(given)
    mark, name = encoding_of(stream.peek(4), encoding)
    stream.read(len(mark))
    text = io.TextIOWrapper(stream, name, KEEP_INVALID, "\n")
    try:
        for number, line in enumerate(text, 1):
            if (reason := invalid_byte(line, name, column=True)) is not None:
                raise DataError(STDIN, number, reason)
            yield line.rstrip("\r\n")
    finally:
        text.detach()


def decoded(arguments: Sequence[str]) -> list[str]:
    """Texts of the command line, which Python decodes as ASCII in some locales."""
    return [os.fsencode(argument).decode() for argument in arguments]
