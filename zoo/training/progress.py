"""Progress of a run: a bar on a terminal; elsewhere lines, with loss and tokens per second."""

import time
from datetime import timedelta

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TextColumn,
)
from rich.text import Text

from zoo.training.updating_line import UpdatingLine

EVERY = 60.0  # seconds between two lines of an epoch in a file, at least


class TimeLeft(ProgressColumn):
    """The time until the last batch, or until training has to stop, if that comes first.

    Args:
        deadline: Value of `time.monotonic()` at which training stops, or None.
    """

    max_refresh = 0.5

    def __init__(self, deadline: float | None = None) -> None:
        super().__init__()
        self.deadline = deadline

    def render(self, task: Task) -> Text:
        """Hours, minutes and seconds."""
        left = [] if task.time_remaining is None else [task.time_remaining]
        if self.deadline is not None:
            left.append(max(0.0, self.deadline - time.monotonic()))
        if not left:
            return Text("-:--:--", style="progress.remaining")
        return Text(str(timedelta(seconds=int(min(left)))), style="progress.remaining")


class TrainingProgress:
    """One progress bar over all batches of a run, on a terminal; a line of text in a notebook.

    In a file or a pipe an epoch that takes minutes has a line for each of them.

    Args:
        console: Console to draw on, or None.
        epochs: Number of epochs of the run.
        steps_per_epoch: Number of batches per epoch.
        first_epoch: Number of the first epoch, from 1.
        deadline: Value of `time.monotonic()` at which training stops, or None.
        line: The line of a notebook, or None.
        every: Seconds between two lines of an epoch in a file, at least.
    """

    def __init__(
        self,
        console: Console | None,
        epochs: int,
        steps_per_epoch: int,
        first_epoch: int = 1,
        deadline: float | None = None,
        line: UpdatingLine | None = None,
        every: float = EVERY,
    ) -> None:
        self.epochs = epochs
        self.steps_per_epoch = steps_per_epoch
        self.first_epoch = first_epoch
        self._bar: Progress | None = None
        self._line = line
        self._every = every
        self._file = None
        if console is not None and not console.is_terminal and line is None:
            self._file = console
        if console is not None and console.is_terminal:
            self._bar = Progress(
                TextColumn("epoch {task.fields[epoch]}"),
                BarColumn(),
                MofNCompleteColumn(),
                TextColumn("{task.fields[numbers]}"),
                TimeLeft(deadline),
                console=console,
                transient=True,
            )
            total = (epochs - first_epoch + 1) * steps_per_epoch
            self._task = self._bar.add_task("", total=total, epoch="", numbers="compiling")
        self.begin_epoch(first_epoch)

    def __enter__(self) -> "TrainingProgress":
        if self._bar is not None:
            self._bar.start()
        return self

    def __exit__(self, *error: object) -> None:
        if self._bar is not None:
            self._bar.stop()
        if self._line is not None:
            self._line.end()

    def begin_epoch(self, epoch: int) -> None:
        self._epoch = epoch
        self._began = self._said = time.monotonic()
        if self._bar is not None:
            self._bar.update(self._task, epoch=f"{epoch}/{self.epochs}")

    def update(self, step: int, loss: float, tokens: float | None) -> None:
        """Shows that `step` batches of the epoch, `tokens` target tokens in total, are done."""
        numbers = f"loss {loss:.4f}"
        if tokens:
            numbers += f" · {tokens / (time.monotonic() - self._began):,.0f} tokens/s"
        self._write_line(step, numbers)
        if self._bar is not None:
            done = (self._epoch - self.first_epoch) * self.steps_per_epoch + step
            self._bar.update(self._task, completed=done, numbers=numbers)

    def _write_line(self, step: int, numbers: str) -> None:
        """Shows the numbers in a notebook, or from time to time in a file."""
        line = f"epoch {self._epoch}/{self.epochs}: {step} of {self.steps_per_epoch} batches"
        line = f"{line} · {numbers}"
        if self._line is not None:
            self._line.show(line)
        elif self._file is not None and time.monotonic() - self._said >= self._every:
            self._said = time.monotonic()
            self._file.print(line, markup=False, highlight=False, soft_wrap=True)
