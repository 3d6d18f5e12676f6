"""Locks: one process at a time writes to a folder."""

import errno
import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from zoo.errors import UserError

LOCK = ".lock"
NO_LOCKS = (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP)  # of a file system without locks
_held: set[Path] = set()


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Context manager in which no other process that locks the same folder can write to it.

    The folder is created if it is missing. The operating system releases the lock when the process
    ends, even if it is killed. A process may lock a folder again that it has locked already.

    Args:
        folder: The folder.

    Raises:
        UserError: If another process has locked the folder.

    Example:
        >>> folder = getfixture("tmp_path") / "run"
        >>> with locked(folder):
        ...     [path.name for path in folder.iterdir()]
        ['.lock']
    """
    folder = folder.resolve()
    if folder in _held:
        yield
        return
    is_new = not folder.exists()
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / LOCK
    file = _acquire(path)
    _held.add(folder)
    try:
        yield
    finally:
        _held.remove(folder)
        with suppress(OSError):
            path.unlink()
        with suppress(OSError):
            fcntl.flock(file, fcntl.LOCK_UN)  # a forked process may have the file open, too
        os.close(file)
        if is_new:
            with suppress(OSError):
                folder.rmdir()  # nothing was written to it


def _acquire(path: Path) -> int:
    while True:
        try:
            file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK, 0o666)
        except OSError as error:
            if error.errno != errno.ELOOP:
                raise
            raise UserError(f"{path} is a link: delete it, and start again") from None
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.path.samestat(os.fstat(file), os.stat(path)):
                return file
        except BlockingIOError:
            os.close(file)
            raise UserError(
                f"another process is writing to {path.parent}: wait until it ends, or choose "
                "another folder"
            ) from None
        except FileNotFoundError:
            pass
        except OSError as error:
            if error.errno not in NO_LOCKS:
                raise
            return file
        os.close(file)  # of a lock file that another process has deleted meanwhile
