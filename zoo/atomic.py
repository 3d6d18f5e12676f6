"""Writing a file whole or not at all."""

import errno
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from zoo.errors import UserError


@contextmanager
def replacing(path: Path, size: int = 0) -> Iterator[Path]:
    """A name beside `path` to write to; it becomes `path` when the block ends well.

    Args:
        path: The file to write or to replace.
        size: The bytes it will take, if known: HDF5 does not recover from a disk that fills up
            while it writes, so it had better not begin.

    Outputs: the path to write to; it has the same ending.

    Raises:
        UserError: when the disk is full. Nothing half-written stays, and an older file is whole.
    """
    partial = path.with_name(f"partial.{path.name}")
    try:
        if shutil.disk_usage(path.parent).free < size:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        yield partial
        with open(partial, "rb+") as file:
            os.fsync(file.fileno())
        os.replace(partial, path)
    except (OSError, RuntimeError) as error:
        if _is_disk_full(error):
            raise UserError(
                f"The disk is full: {path} was not written, the checkpoints before it are whole. "
                "Free some space, then resume."
            ) from error
        raise
    finally:
        partial.unlink(missing_ok=True)


def _is_disk_full(error: BaseException) -> bool:
    """HDF5 does not always pass the error number on, only its text."""
    full = (errno.ENOSPC, errno.EDQUOT)
    return getattr(error, "errno", None) in full or any(
        f"errno = {number}," in str(error) or os.strerror(number) in str(error) for number in full
    )
