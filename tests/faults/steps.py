"""Stops a process at any step that it takes in the file system.

Steps are renames, deletions, new folders, synchronizations, and files that are opened to be
written. At one of them, the process is killed, the power fails, or the step fails as on a full or
broken disk.
"""

import builtins
import errno
import io
import os
import signal
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from tests.faults.power import Durable

CALLS = ("replace", "rename", "link", "unlink", "remove", "rmdir", "mkdir", "fsync")
KILL, POWER, FULL, BROKEN = "kill", "power", "full", "broken"
ERRORS = {FULL: errno.ENOSPC, BROKEN: errno.EIO}
GROWING = ("link", "mkdir", "fsync", "open")  # the steps that need space on a disk


class Steps:
    """Counts the steps below a folder, and stops the process at one of them.

    Args:
        folder: Only steps of files below this folder count.
        at: The number of the step, from 0; None only counts.
        how: "kill"; "power", which leaves what was on the disk as `lost(folder)`; or the error of
            the step: "full" or "broken".
    """

    def __init__(self, folder: Path, at: int | None, how: str = KILL) -> None:
        self.folder, self.at, self.how = str(folder), at, how
        self.durable = Durable(folder)
        self.count = 0
        self.taken: list[str] = []

    def install(self) -> None:
        """Watches the functions of `os`, and `open`."""
        for name in CALLS:
            setattr(os, name, self._watched(name, getattr(os, name)))
        opened = io.open

        def watched_open(file: Any, mode: str = "r", *args: Any, **options: Any) -> Any:
            if set(mode) & set("wax+"):
                self.step("open", file)
            return opened(file, mode, *args, **options)

        builtins.open = io.open = watched_open  # type: ignore[assignment]  # of fewer overloads

    def _watched(self, name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def watched(first: Any, *args: Any, **options: Any) -> Any:
            path = self.step(name, first, options.get("dir_fd"))
            actual = call(first, *args, **options)
            if name == "fsync" and path.startswith(self.folder):
                self.durable.synchronized(Path(path))
            return actual

        return watched

    def step(self, name: str, file: Any, folder: int | None = None) -> str:
        """Takes a step, or stops. Returns the path of the file."""
        path = os.readlink(f"/proc/self/fd/{file}") if type(file) is int else os.fspath(file)
        if folder is not None:
            path = os.path.join(os.readlink(f"/proc/self/fd/{folder}"), path)
        path = str(path)
        if not path.startswith(self.folder) or (self.how == FULL and name not in GROWING):
            return path
        self.taken.append(f"{name} {os.path.relpath(path, self.folder)}")
        self.count += 1
        if self.count - 1 != self.at:
            return path
        if self.how in ERRORS:
            raise OSError(ERRORS[self.how], os.strerror(ERRORS[self.how]), path)
        if self.how == POWER:
            self.at = None  # restoring takes no steps
            self.durable.restore(lost(Path(self.folder)))
        elif name == "fsync" and os.path.isfile(path):
            with suppress(OSError):  # only half of the file had been written
                os.truncate(path, os.path.getsize(path) // 2)
        os.kill(os.getpid(), signal.SIGKILL)
        raise AssertionError


def lost(folder: Path) -> Path:
    """Where a power failure leaves what was on the disk."""
    return folder.with_name(f"{folder.name}.lost")
