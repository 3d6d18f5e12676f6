"""The sha256 and the size of an artifact: a file, or a folder with all files below it."""

from __future__ import annotations

import hashlib
from pathlib import Path


def _of_file(path: Path) -> bytes:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").digest()


def sha256(path: str | Path) -> str:
    """The sha256 of a file, or of the names and contents of all files below a folder."""
    path = Path(path)
    if path.is_file():
        return _of_file(path).hex()
    total = hashlib.sha256()
    for file in sorted(file for file in path.rglob("*") if file.is_file()):
        total.update(file.relative_to(path).as_posix().encode() + b"\0" + _of_file(file))
    return total.hexdigest()


def size(path: str | Path) -> int:
    """The number of bytes of a file, or of all files below a folder."""
    path = Path(path)
    files = [path] if path.is_file() else [file for file in path.rglob("*") if file.is_file()]
    return sum(file.stat().st_size for file in files)
