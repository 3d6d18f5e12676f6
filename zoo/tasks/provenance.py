"""What a task has learned from, so that an artifact can say it."""

import hashlib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def digests(data: Any) -> dict[str, str]:
    """The sha256 of each file of some training data, by its name, of several tasks behind the
    task's; nothing for data in memory.

    Args:
        data: A file, a folder of .txt files, several of them by names of tasks, or rows in memory.

    Example:
        >>> digests([("a hat", "ein Hut")])
        {}
    """
    if isinstance(data, Mapping):
        return {
            f"{task}/{name}": digest
            for task, each in data.items()
            for name, digest in digests(each).items()
        }
    if not isinstance(data, str | os.PathLike):
        return {}
    path = Path(data)
    files = sorted(path.rglob("*.txt")) if path.is_dir() else [path]
    return {str(file.relative_to(path.parent)): _sha256(file) for file in files}


def _sha256(path: Path) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
