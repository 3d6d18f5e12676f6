"""Ctrl-C in a program: the first ends it in order, the second at once."""

import os
import signal
import sys
from types import FrameType
from typing import Any

INTERRUPTED = 130  # exit status


class CtrlC:
    """A handler that raises a `KeyboardInterrupt`, and ends the process when it is called again.

    Libraries sometimes swallow the first, or turn it into an error of their own. Files are written
    so that they are whole whenever the process ends.

    Example:
        >>> CtrlC().pressed
        False
    """

    def __init__(self) -> None:
        self.pressed = False

    def __call__(self, number: int, frame: FrameType | None) -> None:
        if self.pressed:
            os._exit(INTERRUPTED)
        self.pressed = True
        raise KeyboardInterrupt

    def install(self) -> None:
        """Handles Ctrl-C, unless it is ignored, as with `nohup`, or handled otherwise."""
        if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
            return
        signal.signal(signal.SIGINT, self)
        report = sys.unraisablehook

        def end(unraisable: Any) -> None:
            """Python ignores what is raised in a destructor, such as a `KeyboardInterrupt`."""
            if issubclass(unraisable.exc_type, KeyboardInterrupt):
                os._exit(INTERRUPTED)
            report(unraisable)

        sys.unraisablehook = end
