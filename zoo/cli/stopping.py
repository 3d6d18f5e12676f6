"""SIGTERM in commands: the processes that a command started end with it."""

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

STATUS = 128 + signal.SIGTERM  # as a shell says of a program that a signal ended


@contextmanager
def ending_on_sigterm() -> Iterator[None]:
    """Has SIGTERM, as of `timeout` or of a container that stops, end a block as Ctrl-C does.

    Otherwise the process would end at once, and leave its temporary files.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def end(*_: Any) -> None:
        sys.exit(STATUS)

    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
