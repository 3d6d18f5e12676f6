"""File primitives that `export` and `zoo` share: locks of files, and waiting for the disk.

This module imports the standard library only.
"""

from __future__ import annotations

import errno
import fcntl
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

NO_LOCKS = (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP)  # of a file system without locks


@contextmanager
def locked_file(path: Path, wait: bool = False) -> Iterator[None]:
    """Context manager in which no other process can lock the same file, which is then deleted.

    The operating system releases the lock when the process ends, even if it is killed. On a file
    system without locks, nothing is locked.

    Args:
        path: The lock file, which is created if it is missing.
        wait: Whether to wait for another process.

    Raises:
        BlockingIOError: If another process has locked the file, unless `wait`.
        ValueError: If the file is a symbolic link.

    Example:
        >>> path = getfixture("tmp_path") / ".lock"
        >>> with locked_file(path):
        ...     path.exists()
        True
        >>> path.exists()
        False
    """
    file = _acquire(path, wait)
    try:
        yield
    finally:
        with suppress(OSError):
            path.unlink()
        with suppress(OSError):
            fcntl.flock(file, fcntl.LOCK_UN)  # a forked process may have the file open, too
        os.close(file)


def _acquire(path: Path, wait: bool) -> int:
    while True:
        try:
            file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK, 0o666)
        except OSError as error:
            if error.errno != errno.ELOOP:
                raise
            raise ValueError(f"{path} is a link: delete it, and start again") from None
        try:
            fcntl.flock(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
            if os.path.samestat(os.fstat(file), os.stat(path)):
                return file
        except FileNotFoundError:
            pass
        except OSError as error:
            if error.errno in NO_LOCKS:
                return file
            os.close(file)
            raise
        os.close(file)  # of a lock file that another process has deleted meanwhile


def is_file_locked(path: Path) -> bool:
    """Whether a living process has locked a file with `locked_file`.

    Args:
        path: The lock file.

    Raises:
        OSError: If it is missing, or cannot be read.
    """
    file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError as error:
        if error.errno in NO_LOCKS:
            return True
        raise
    finally:
        os.close(file)  # which gives up the lock
    return False


@contextmanager
def locked_beside(path: Path, wait: bool = False) -> Iterator[None]:
    """Context manager in which no other process can lock the same path, by a file beside it.

    Args:
        path: A file or folder, which need not exist.
        wait: Whether to wait for another process.

    Raises:
        ValueError: If another process has locked the path, unless `wait`.

    Example:
        >>> path = getfixture("tmp_path") / "en-de.tflite"
        >>> with locked_beside(path):
        ...     [each.name for each in path.parent.iterdir()]
        ['.en-de.tflite.lock']
    """
    with ExitStack() as stack:
        try:
            stack.enter_context(locked_file(path.with_name(f".{path.name}.lock"), wait))
        except BlockingIOError:
            raise ValueError(
                f"Another process is exporting to {path}: wait until it ends, or choose another "
                "path."
            ) from None
        yield


def sync(path: Path) -> None:
    """Waits until a file, or the names of the files in a folder, are on the disk."""
    file = os.open(path, os.O_RDONLY)
    try:
        os.fsync(file)
    except OSError as error:
        error.filename = os.fspath(path)
        raise
    finally:
        os.close(file)
