"""Digests of training data, which are recorded in exported artifacts."""

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from zoo.data.readers.files import is_path, paths_of


def digests(data: Any) -> dict[str, str]:
    """SHA-256 digests of the files of training data.

    Args:
        data: Files, a folder of `.txt` files, data in memory, or a dictionary of these by names of
            tasks.

    Returns:
        Dictionary from the names of files to digests, empty for data in memory. If `data` is a
        dictionary, the names start with that of the task.

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
    if not is_path(data):
        return {}
    found: dict[str, str] = {}
    for path in paths_of(data):
        files = sorted(path.rglob("*.txt*")) if path.is_dir() else [path]
        found |= {str(file.relative_to(path.parent)): _sha256(file) for file in files}
    return found


def _sha256(path: Path) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
