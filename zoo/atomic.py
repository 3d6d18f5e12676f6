"""Atomic file writes."""

import errno
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from zoo.errors import UserError


@contextmanager
def replacing(path: Path, size: int = 0) -> Iterator[Path]:
    """Context manager that replaces a file only if the block succeeds.

    Args:
        path: Path of the file to write or replace.
        size: Required disk space in bytes, if known. It is checked before the block runs, since
            HDF5 cannot recover if the disk becomes full while it writes.

    Yields:
        A temporary path in the same folder, with the same suffix, to write to.

    Raises:
        UserError: If the disk is full. The temporary file is deleted, and an existing file is
            unchanged.
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
                f"The disk is full: {path} was not written. Earlier checkpoints are intact. Free "
                "some space, then resume."
            ) from error
        raise
    finally:
        partial.unlink(missing_ok=True)


def _is_disk_full(error: BaseException) -> bool:
    """Whether an error means a full disk. Those of HDF5 may state that only in their message."""
    full = (errno.ENOSPC, errno.EDQUOT)
    return getattr(error, "errno", None) in full or any(
        f"errno = {number}," in str(error) or os.strerror(number) in str(error) for number in full
    )
