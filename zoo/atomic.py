"""Atomic file writes."""

import errno
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from export.files import sync
from zoo.errors import DiskFull, has_errno

FULL = (errno.ENOSPC, errno.EDQUOT)  # errors of a full disk


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
        DiskFull: If the disk is full. The temporary file is deleted, and an existing file is
            unchanged.
    """
    partial = path.with_name(f"partial.{path.name}")
    with reporting_full_disk(path):
        try:
            if shutil.disk_usage(path.parent).free < size:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            partial.unlink(missing_ok=True)  # it may be a link to another file
            yield partial
            sync(partial)
            os.replace(partial, path)
            sync(path.parent)
        finally:
            partial.unlink(missing_ok=True)


@contextmanager
def reporting_full_disk(path: Path) -> Iterator[None]:
    """Context manager that reports a full disk as `DiskFull`.

    Args:
        path: What the block writes, for the message.
    """
    try:
        yield
    except (OSError, RuntimeError, DiskFull) as error:
        if not isinstance(error, DiskFull) and not has_errno(error, *FULL):
            raise
        raise DiskFull(path) from error
