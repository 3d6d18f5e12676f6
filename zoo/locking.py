"""Locks of folders: one process at a time writes to a folder."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from export.files import is_file_locked, locked_file
from zoo.errors import UserError

LOCK = ".lock"
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
    with ExitStack() as stack:
        if is_new:
            stack.callback(_remove_if_empty, folder)
        try:
            stack.enter_context(locked_file(folder / LOCK))
        except BlockingIOError:
            raise UserError(
                f"another process is writing to {folder}: wait until it ends, or choose "
                "another folder"
            ) from None
        except ValueError as error:
            raise UserError(error) from None
        _held.add(folder)
        stack.callback(_held.remove, folder)
        yield


def _remove_if_empty(folder: Path) -> None:
    with suppress(OSError):
        folder.rmdir()  # nothing was written to it


def is_locked(folder: Path) -> bool:
    """Whether a process has locked a folder and lives.

    It changes nothing. On a file system without locks, the lock file alone says so.

    Args:
        folder: The folder, which may be missing.

    Example:
        >>> folder = getfixture("tmp_path") / "run"
        >>> with locked(folder):
        ...     is_locked(folder)
        True
        >>> is_locked(folder)
        False
    """
    try:
        return is_file_locked(folder / LOCK)
    except OSError:
        return False
