"""Files that others may have made: regular files alone, opened without waiting, and read once.

Every file of an artifact, of its manifest and of its signature is opened here. `zoo.untrusted` does
the same for data and runs, and follows links; the process that verifies cannot import it.
"""

from __future__ import annotations

import errno
import io
import os
import stat
from pathlib import Path

# A link may lead anywhere, and opening a pipe waits for whoever writes to it.
FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)


class NotRegular(ValueError):
    """What is at a path is not a regular file; the message names the path and what it is."""


def opened(path: str | Path) -> io.BufferedReader:
    """A regular file, opened to be read.

    Raises:
        NotRegular: If it is a symbolic link, a pipe, a socket, a device or a folder.
        OSError: If there is none, or it cannot be read.
    """
    try:
        number = os.open(path, FLAGS)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.EMLINK):
            message = f"{path} is a symbolic link: copy the file that it leads to in its place"
            raise NotRegular(message) from None
        if error.errno in (errno.ENXIO, errno.EOPNOTSUPP):
            raise NotRegular(f"{path} is not a regular file") from None
        raise
    if not stat.S_ISREG(os.fstat(number).st_mode):
        os.close(number)
        raise NotRegular(f"{path} is not a regular file")
    return os.fdopen(number, "rb")


def read(path: str | Path, most: int) -> bytes:
    """The content of a regular file.

    Args:
        path: The file.
        most: The largest number of bytes that it may have.

    Raises:
        ValueError: If it is not a regular file, or is larger.
        OSError: If there is none, or it cannot be read.
    """
    with opened(path) as file:
        if (size := os.fstat(file.fileno()).st_size) > most:
            raise ValueError(f"{path} has more than {most} bytes")
        content = file.read(size + 1)  # which allocates as many bytes as it may read
    if len(content) > most:  # it has grown since
        raise ValueError(f"{path} has more than {most} bytes")
    return content


def text_of(name: str, content: bytes) -> str:
    """The text of a file beside an artifact, such as labels.

    Args:
        name: The name of the file, for the message.
        content: What the file contains.

    Raises:
        ValueError: If it is not UTF-8.

    Example:
        >>> text_of("labels.txt", b"bad\\xff")
        Traceback (most recent call last):
        ...
        ValueError: labels.txt is not UTF-8 text (byte 3): export again
    """
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        message = f"{name} is not UTF-8 text (byte {error.start}): export again"
        raise ValueError(message) from None


def files_below(folder: str | Path) -> list[Path]:
    """The regular files below a folder, in order; links to folders are not followed.

    Raises:
        NotRegular: If there is anything but regular files and folders.
    """
    files = []
    for path in sorted(Path(folder).rglob("*")):
        kind = path.lstat().st_mode
        if stat.S_ISREG(kind):
            files.append(path)
        elif not stat.S_ISDIR(kind):
            what = "a symbolic link" if stat.S_ISLNK(kind) else "not a regular file"
            raise NotRegular(f"{path} is {what}")
    return files
