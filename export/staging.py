"""The staging folder of an artifact beside its destination."""

from __future__ import annotations

import ctypes
import os
import shutil
from pathlib import Path

from export.files import locked_beside, sync

_EXCHANGE = 2  # RENAME_EXCHANGE of Linux's renameat2
_HERE = -100  # AT_FDCWD: paths are relative to the current folder


class Staging:
    """A temporary folder beside the destination, removed when the context ends.

    The folder of an export that was killed is removed by the next export to the same destination,
    which is locked, so that there is one export at a time.

    Args:
        destination: Where the artifact will be.
    """

    def __init__(self, destination: Path) -> None:
        self.destination = destination
        self.folder = destination.with_name(f".{destination.name}.partial")
        self._lock = locked_beside(destination)

    def __enter__(self) -> Staging:
        self.destination.parent.mkdir(parents=True, exist_ok=True)
        self._lock.__enter__()
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir()
        return self

    def __exit__(self, *error: object) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)
        self._lock.__exit__(None, None, None)


def replace(new: Path, old: Path) -> None:
    """Moves `new` to `old` in one step, even if `old` is a folder with files in it.

    The files are on the disk before they are moved.
    """
    for path in [*new.rglob("*"), new]:
        sync(path)
    if not (old.is_dir() and any(old.iterdir())):
        os.replace(new, old)
        sync(old.parent)
    elif _exchange(new, old):
        sync(old.parent)
        shutil.rmtree(new)
    else:  # there is no such call on this system: for a moment neither is there
        aside = new.with_name(new.name + ".old")
        os.rename(old, aside)
        os.rename(new, old)
        sync(old.parent)
        shutil.rmtree(aside)


def _exchange(one: Path, other: Path) -> bool:
    try:
        rename = ctypes.CDLL(None, use_errno=True).renameat2
    except (OSError, AttributeError):
        return False
    return rename(_HERE, os.fsencode(one), _HERE, os.fsencode(other), _EXCHANGE) == 0


def copy_rest(source: Path, target: Path) -> None:
    """Adds the entries of `source` that `target` lacks; files are hard links where possible.

    Symbolic links stay links: what they lead to is not copied.
    """
    for entry in source.iterdir():
        copy = target / entry.name
        if copy.exists():
            continue
        if entry.is_symlink():
            copy.symlink_to(os.readlink(entry))
        elif entry.is_dir():
            shutil.copytree(entry, copy, symlinks=True, copy_function=_link)
        else:
            _link(entry, copy)


def _link(source: str | Path, target: str | Path) -> None:
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)
