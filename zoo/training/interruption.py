"""Ctrl-C during training: the first ends it after the current batch, the second at once."""

import signal
import threading
from types import FrameType
from typing import Any, Self

from zoo.ctrl_c import CtrlC


class Interruption:
    """Context in which the first Ctrl-C is a request and the second a `KeyboardInterrupt`.

    Ctrl-C is handled as before if another handler is installed, if it is ignored (as with `nohup`),
    and outside the main thread.

    Example:
        >>> with Interruption() as interruption:
        ...     interruption.requested
        False
    """

    def __init__(self) -> None:
        self.requested = False
        self.repeated = False
        self._before: Any = None

    def __enter__(self) -> Self:
        in_main_thread = threading.current_thread() is threading.main_thread()
        handler = signal.getsignal(signal.SIGINT)
        is_known = handler is signal.default_int_handler or isinstance(handler, CtrlC)
        if in_main_thread and is_known:
            self._before = signal.signal(signal.SIGINT, self._handle)
        return self

    def __exit__(self, *error: object) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if self.requested:
            self.repeated = True
            raise KeyboardInterrupt
        self.requested = True
