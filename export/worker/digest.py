"""The sha256 and the size of an artifact: a file, or a folder with all files below it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path

from .files import files_below, opened


def of_file(path: str | Path) -> bytes:
    """The sha256 of a regular file."""
    with opened(path) as stream:
        return hashlib.file_digest(stream, "sha256").digest()


def of_names(files: Iterable[tuple[str, bytes]]) -> str:
    """The sha256 of the names of files, relative to their folder, and the sha256 of each."""
    total = hashlib.sha256()
    for name, each in files:
        total.update(name.encode() + b"\0" + each)
    return total.hexdigest()


def sha256(path: str | Path) -> str:
    """The sha256 of a file, or of the names and contents of all files below a folder.

    Raises:
        ValueError: If it is not a regular file, or there is another one below the folder.
    """
    path = Path(path)
    if not path.is_dir():
        return of_file(path).hex()
    files = files_below(path)
    return of_names((file.relative_to(path).as_posix(), of_file(file)) for file in files)


def size(path: str | Path) -> int:
    """The number of bytes of a file, or of all files below a folder."""
    path = Path(path)
    files = files_below(path) if path.is_dir() else [path]
    return sum(file.stat().st_size for file in files)
