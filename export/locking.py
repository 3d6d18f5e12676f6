"""Locks: one process at a time exports to a path."""

from __future__ import annotations

import errno
import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

NO_LOCKS = (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP)  # of a file system without locks


@contextmanager
def locked(path: Path, wait: bool = False) -> Iterator[None]:
    """Context manager in which no other process can lock the same path.

    The lock is a file beside the path. The operating system releases it when the process ends, even
    if it is killed.

    Args:
        path: A file or folder, which need not exist.
        wait: Whether to wait for another process.

    Raises:
        ValueError: If another process has locked the path, unless `wait`.

    Example:
        >>> path = getfixture("tmp_path") / "en-de.tflite"
        >>> with locked(path):
        ...     [each.name for each in path.parent.iterdir()]
        ['.en-de.tflite.lock']
    """
    lock = path.with_name(f".{path.name}.lock")
    file = _acquire(lock, wait)
    if file is None:
        raise ValueError(
            f"Another process is exporting to {path}: wait until it ends, or choose another path."
        )
    try:
        yield
    finally:
        with suppress(OSError):
            lock.unlink()
        with suppress(OSError):
            fcntl.flock(file, fcntl.LOCK_UN)  # a forked process may have the file open, too
        os.close(file)


def _acquire(lock: Path, wait: bool) -> int | None:
    while True:
        file = os.open(lock, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
            if os.path.samestat(os.fstat(file), os.stat(lock)):
                return file
        except BlockingIOError:
            os.close(file)
            return None
        except FileNotFoundError:
            pass
        except OSError as error:
            if error.errno not in NO_LOCKS:
                raise
            return file
        os.close(file)  # of a lock that another process has deleted meanwhile
