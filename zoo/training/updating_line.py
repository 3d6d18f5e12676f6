"""One line of a notebook that shows how far a training is, and is written again."""

import sys
import time
from typing import TextIO, cast

from rich.console import Console

EVERY = 1.0  # seconds between two contents of the line, at least
EPOCH = "epoch "  # begins the lines of a log that the line shows


class UpdatingLine:
    """The output of a console: lines about epochs stay on one line, others are written as they are.

    A notebook keeps every line that is printed, so that a training of hours would fill it.

    Args:
        stream: Where to write.
        every: Seconds between two contents of the line, at least; the last one is always written.

    Example:
        >>> import io
        >>> line = UpdatingLine(io.StringIO(), every=60)
        >>> for text in ("reading", "epoch 1/3: loss 3", "epoch 2/3: loss 2", "epoch 3/3: loss 1"):
        ...     _ = line.write(text + "\\n")
        >>> line.end()
        >>> line.stream.getvalue()
        'reading\\n\\repoch 1/3: loss 3\\repoch 3/3: loss 1\\n'
    """

    encoding = "utf-8"

    def __init__(self, stream: TextIO, every: float = EVERY) -> None:
        self.stream = stream
        self._every = every
        self._shown = self._latest = ""
        self._at = -every

    def write(self, text: str) -> int:
        """Takes what a console prints: a whole line, or nothing but its end."""
        line = text.removesuffix("\n")
        if line.startswith(EPOCH):
            self.show(line)
        elif line:
            self.end()
            self.stream.write(text)
        return len(text)

    def show(self, text: str) -> None:
        """Shows a text in place of the one before, unless that was shown just now."""
        self._latest = text
        if time.monotonic() - self._at >= self._every:
            self._draw()

    def end(self) -> None:
        """Ends the line with its latest text; the next one begins below."""
        if self._latest and self._latest != self._shown:
            self._draw()
        if self._shown:
            self.stream.write("\n")
        self._shown = self._latest = ""
        self.flush()

    def flush(self) -> None:
        """Shows what was written."""
        self.stream.flush()

    def isatty(self) -> bool:
        """No: it moves no cursor and has no colors."""
        return False

    def _draw(self) -> None:
        blank = " " * (len(self._shown) - len(self._latest))  # over the rest of a longer one
        self.stream.write(f"\r{self._latest}{blank}")
        self._shown, self._at = self._latest, time.monotonic()
        self.flush()


def line_of_notebook() -> UpdatingLine | None:
    """A line in the notebook that this process serves; None elsewhere."""
    return UpdatingLine(sys.stdout) if Console().is_jupyter else None


def console_of(line: UpdatingLine | None) -> Console:
    """A console that prints to a line, or to standard error without one."""
    if line is None:
        return Console(stderr=True)
    return Console(file=cast(TextIO, line), force_jupyter=False, no_color=True, width=1 << 16)
