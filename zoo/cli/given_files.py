"""The files that `predict` answers: those of folders and patterns, and a table that is piped."""

import shutil
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from zoo.cli.texts import STANDARD, STDIN, standard_input
from zoo.errors import UserError

START = 1 << 12  # number of bytes that show the format
NAMED = 3  # maximum number of files that a message names


class Takes(Protocol):
    """What predicts from lines."""

    takes_texts: bool  # or else paths


@dataclass(frozen=True)
class GivenFiles:
    """The files to predict from.

    Args:
        names: Their paths.
        several: Whether a folder or a pattern stands for some of them.
    """

    names: list[str]
    several: bool


def files_in(paths: Iterable[str], suffixes: tuple[str, ...]) -> GivenFiles:
    """The files of paths, in which folders and patterns stand for the files that they have.

    Args:
        paths: The paths.
        suffixes: The ends of the names of files that count in folders; if there are none, a folder
            is an input of its own.

    Raises:
        UserError: If a folder has no such file, or none matches a pattern.

    Example:
        >>> folder = getfixture("tmp_path")
        >>> for name in ("b.png", "a.PNG", "notes.txt"):
        ...     (folder / name).touch()
        >>> [Path(name).name for name in files_in([str(folder)], (".png",)).names]
        ['a.PNG', 'b.png']
    """
    from zoo.data.readers.files import paths_of

    if not suffixes:
        return GivenFiles(list(paths), False)
    names: list[str] = []
    given = list(paths)
    for path in given:
        for each in paths_of(path):
            names += [str(each)] if not each.is_dir() else _inside(each, suffixes)
    return GivenFiles(names, names != given)


def _inside(folder: Path, suffixes: tuple[str, ...]) -> list[str]:
    files = [path for path in sorted(folder.rglob("*")) if path.suffix.lower() in suffixes]
    shown = [str(path) for path in files if not path.name.startswith(".")]
    if not shown:
        raise UserError(f"{folder} has no files that end in {', '.join(suffixes)}")
    return shown


def what_of(lines: Sequence[str], model: Takes) -> str:
    """What lines of the command line are, for messages: texts, or the files that they name."""
    if model.takes_texts:
        return "texts"
    rest = len(lines) - NAMED
    return ", ".join([*lines[:NAMED], *([f"{rest:,} more"] if rest > 0 else [])])


@contextmanager
def stored(file: Path) -> Iterator[Path]:
    """Context manager for a table that can be read from its beginning.

    Args:
        file: The table; `-` is standard input, which is copied to a temporary file, since a table
            is read more than once.
    """
    if file != STANDARD:
        yield file
        return
    stream = standard_input().buffer
    with tempfile.TemporaryDirectory() as folder:
        start = stream.read(START)
        if not start.strip():
            raise UserError(f"{STDIN} has no rows")
        path = Path(folder) / f"{STDIN.replace(' ', '-')}{_suffix(start)}"
        with path.open("wb") as copy:
            copy.write(start)
            shutil.copyfileobj(stream, copy)
        yield path


def _suffix(start: bytes) -> str:
    """The suffix of a table that begins with some bytes.

    Example:
        >>> [_suffix(start) for start in (b'{"a": 1}', b"a\\tb\\n", b"a,b\\n", b"PAR1")]
        ['.jsonl', '.tsv', '.csv', '.parquet']
    """
    if start.startswith(b"PAR1"):
        return ".parquet"
    if start.startswith(b"PK\x03\x04"):
        return ".xlsx"
    first = start.lstrip(b"\xef\xbb\xbf \r\n")
    if first[:1] in (b"{", b"["):
        return ".jsonl" if first[:1] == b"{" else ".json"
    line = first.partition(b"\n")[0]
    return ".tsv" if b"\t" in line and b'"' not in line else ".csv"
