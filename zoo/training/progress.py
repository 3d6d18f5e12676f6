"""Progress bar: epoch, loss, tokens per second and remaining time."""

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

    Args:
        console: Console to draw on, or None.
        epochs: Number of epochs of the run.
        steps_per_epoch: Number of batches per epoch.
        first_epoch: Number of the first epoch, from 1.
        deadline: Value of `time.monotonic()` at which training stops, or None.
        line: The line of a notebook, or None.
    """

    def __init__(
        self,
        console: Console | None,
        epochs: int,
        steps_per_epoch: int,
        first_epoch: int = 1,
        deadline: float | None = None,
        line: UpdatingLine | None = None,
    ) -> None:
        self.epochs = epochs
        self.steps_per_epoch = steps_per_epoch
        self.first_epoch = first_epoch
        self._bar: Progress | None = None
        self._line = line
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
        self._began = time.monotonic()
        if self._bar is not None:
            self._bar.update(self._task, epoch=f"{epoch}/{self.epochs}")

    def update(self, step: int, loss: float, tokens: float | None) -> None:
        """Shows that `step` batches of the epoch, `tokens` target tokens in total, are done."""
        if self._line is not None:
            place = f"epoch {self._epoch}/{self.epochs}: {step} of {self.steps_per_epoch} batches"
            self._line.show(f"{place} · loss {loss:.4f}")
        if self._bar is None:
            return
        done = (self._epoch - self.first_epoch) * self.steps_per_epoch + step
        numbers = f"loss {loss:.4f}"
        if tokens:
            numbers += f" · {tokens / (time.monotonic() - self._began):,.0f} tokens/s"
        self._bar.update(self._task, completed=done, numbers=numbers)
