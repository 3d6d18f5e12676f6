"""Log of a run: on the console, and with timestamps in `log.txt`."""

import os
import time
from contextlib import suppress
from pathlib import Path

from rich.console import Console


def _plain(path: str, flags: int) -> int:
    """Opens a file, but no link, which may lead to another file, and no pipe, which may block."""
    return os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK, 0o666)


class RunLog:
    """Prints lines, and appends them with timestamps to a file.

    Args:
        path: Path of the file, or None for no file.
        console: The console, or None to print nothing.

    Example:
        >>> log = RunLog(None, None)
        >>> log("epoch 1/3")
    """

    def __init__(self, path: Path | None, console: Console | None) -> None:
        self.path = path
        self.console = console

    def __call__(self, message: str) -> None:
        if self.console is not None:
            self.console.print(message, markup=False, highlight=False, soft_wrap=True)
        if self.path is not None:
            # A full disk is reported when weights are saved.
            with suppress(OSError), open(self.path, "a", encoding="utf-8", opener=_plain) as file:
                file.write(f"{time.strftime('%Y-%m-%d %H:%M:%S')} {message}\n")
