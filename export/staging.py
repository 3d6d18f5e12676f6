"""Build an artifact beside its destination, and move it into place when it is finished."""

from __future__ import annotations

import ctypes
import os
import shutil
from pathlib import Path
from types import TracebackType

_EXCHANGE = 2  # RENAME_EXCHANGE of Linux's renameat2
_HERE = -100  # AT_FDCWD: paths are relative to the current folder


class Staging:
    """A temporary folder beside the destination, removed when the context ends.

    Its name contains the number of the process, so that the folder of an export that was killed is
    removed by the next export to the same destination.

    Args:
        destination: Where the artifact will be.
    """

    def __init__(self, destination: Path) -> None:
        self.destination = destination
        self.folder = destination.parent / f".{destination.name}.{os.getpid()}.partial"

    def __enter__(self) -> Staging:
        self.destination.parent.mkdir(parents=True, exist_ok=True)
        for old in self.destination.parent.glob(f".{self.destination.name}.*.partial"):
            number = old.name.split(".")[-2]
            if number.isdigit() and not _runs(int(number)):
                shutil.rmtree(old, ignore_errors=True)
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)


def _runs(number: int) -> bool:
    if number == os.getpid() or os.name != "posix":
        return number != os.getpid()
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def replace(new: Path, old: Path) -> None:
    """Moves `new` to `old` in one step, even if `old` is a folder with files in it."""
    if not (old.is_dir() and any(old.iterdir())):
        os.replace(new, old)
    elif _exchange(new, old):
        shutil.rmtree(new)
    else:  # there is no such call on this system: for a moment neither is there
        aside = new.with_name(new.name + ".old")
        os.rename(old, aside)
        os.rename(new, old)
        shutil.rmtree(aside)


def _exchange(one: Path, other: Path) -> bool:
    try:
        rename = ctypes.CDLL(None, use_errno=True).renameat2
    except (OSError, AttributeError):
        return False
    return rename(_HERE, os.fsencode(one), _HERE, os.fsencode(other), _EXCHANGE) == 0


def copy_rest(source: Path, target: Path) -> None:
    """Adds the entries of `source` that `target` lacks; files are hard links where possible."""
    for entry in source.iterdir():
        copy = target / entry.name
        if copy.exists():
            continue
        if entry.is_dir():
            shutil.copytree(entry, copy, copy_function=_link)
        else:
            _link(entry, copy)


def _link(source: str | Path, target: str | Path) -> None:
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)
