"""Files that may come from someone else: opened only if they are regular, and stay in a folder."""

import hashlib
import io
import os
import stat
from pathlib import Path

from zoo.errors import UserError

NOT_REGULAR = "it is not a regular file"


def open_regular(path: str | os.PathLike) -> io.BufferedReader:
    """Opens a file to read bytes, unless it is a pipe or a device, which may have no end.

    Every file of a run, a checkpoint or prepared data, and every data file, is opened by this
    function, or checked by `check_regular` if another library opens it.

    Args:
        path: Path of the file. Links are followed.

    Raises:
        OSError: If it is missing, or cannot be read.
        ValueError: If it is not a regular file. The message is the reason, without the path.
    """
    # Without O_NONBLOCK, opening a pipe waits for someone who writes.
    file = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)
    if not stat.S_ISREG(os.fstat(file).st_mode):
        os.close(file)
        raise ValueError(NOT_REGULAR)
    return open(file, "rb")


def read_regular(path: str | os.PathLike, largest: int) -> bytes:
    """The bytes of a file, of which there may be only so many.

    Args:
        path: Path of the file.
        largest: Maximum number of bytes.

    Raises:
        OSError: If it is missing, or cannot be read.
        ValueError: If it is not a regular file, or larger.

    Example:
        >>> read_regular("/dev/zero", 10)
        Traceback (most recent call last):
        ...
        ValueError: it is not a regular file
    """
    with open_regular(path) as file:
        size = os.fstat(file.fileno()).st_size
        # `read` allocates as many bytes as it may read.
        content = file.read(min(size, largest) + 1)
    if max(size, len(content)) > largest:
        raise ValueError(f"it has more than {largest >> 20} MB")
    return content


def check_regular(path: str | os.PathLike) -> None:
    """Checks a file that another library opens by its name.

    Raises:
        OSError: If it is missing, or cannot be read.
        ValueError: If it is not a regular file. The message is the reason, without the path.
    """
    open_regular(path).close()


def sha256(path: str | os.PathLike) -> str:
    """The SHA-256 digest of a file.

    Raises:
        OSError: If it is missing, or cannot be read.
        ValueError: If it is not a regular file. The message is the reason, without the path.
    """
    with open_regular(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def check_inside(path: Path, folder: Path) -> None:
    """Refuses links out of a folder.

    Raises:
        UserError: If the path leads out of the folder.
    """
    if not path.resolve().is_relative_to(folder.resolve()):
        raise UserError(f"{path} is a link out of {folder}")
