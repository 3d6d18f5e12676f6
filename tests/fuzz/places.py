"""Puts what a target reads into a folder: changed bytes, or something that is no regular file."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

from tests.fuzz.guard import CANARY

CHANGED = "changed"  # name of the folder that is read


def _folder(path: Path) -> None:
    path.mkdir()


def _pipe(path: Path) -> None:
    os.mkfifo(path)


def _link(target: str) -> Callable[[Path], None]:
    return lambda path: path.symlink_to(target)


def _nothing(path: Path) -> None:
    pass


# A link to a file outside is left to the tests of each reader: some may follow those of their user.
SPECIAL: tuple[Callable[[Path], None], ...] = (
    *(_nothing, _folder, _pipe),
    *(_link("/dev/zero"), _link(f"missing-{CANARY}"), _link(".")),
)


def whole(path: Path) -> Path:
    """The folder that `placed` made, of which a file was changed."""
    return next(each for each in path.parents if each.name == CHANGED)


def placed(valid: Path, name: str, content: bytes | Callable[[Path], None]) -> Path:
    """A new copy of a folder in which one file has other content.

    Args:
        valid: The folder with the files that are right. The copy is beside it, in place of an older
            one.
        name: Name of the file.
        content: Its bytes, or what puts something else in its place.

    Returns:
        The path of the file.
    """
    folder = valid.with_name(CHANGED)
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(valid, folder)
    path = folder / name
    path.unlink()
    if isinstance(content, bytes):
        path.write_bytes(content)
    else:
        content(path)
    return path
