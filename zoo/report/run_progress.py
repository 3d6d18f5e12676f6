"""The progress of a training that another process may be doing, from its run folder."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path

from zoo.errors import UserError
from zoo.locking import LOCK, is_locked
from zoo.report import run_files
from zoo.tasks.config import read_config, to_resume
from zoo.tasks.folder import STATE, WEIGHTS
from zoo.training.history import HISTORY
from zoo.training.run_files import LOG
from zoo.training.state import TrainingState
from zoo.untrusted import open_regular

TAIL = 1 << 16  # bytes of the log that are read, from its end
STAMP = re.compile(r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d ")
BEGINS = "training "  # the first line of a training, also of one that is resumed
STOPPED = ("interrupted ", "ended by SIGTERM", "stopped: ")  # before its last epoch, in order
ENDED = ("stopped after ", "early stopping: ", "ended by a callback")  # as it was asked to


class Status(Enum):
    """How far a training is."""

    WAITING = "waiting"
    TRAINING = "training"
    ENDED = "ended"
    STOPPED = "stopped"
    KILLED = "killed"


@dataclass(frozen=True)
class RunProgress:
    """How far a training is.

    Args:
        status: Whether it runs, and if not, how it ended.
        reason: Why it ended, in the words of the log; empty if all epochs were trained.
        history: Columns of history.csv.
        epochs: Number of planned epochs; None if it is unknown.
        state: The state of the last checkpoint; None before the first.
        written: When the state was written, in seconds since 1970.
        log: The last lines of the log.
    """

    status: Status
    reason: str = ""
    history: Mapping[str, list[float]] = field(default_factory=dict)
    epochs: int | None = None
    state: TrainingState | None = None
    written: float = 0.0
    log: Sequence[str] = ()

    @classmethod
    def read(cls, folder: Path) -> "RunProgress":
        """Reads a run folder, which may be missing, and may change meanwhile.

        Args:
            folder: The folder.

        Raises:
            UserError: If one of its files is damaged.
        """
        lives, has_lock = is_locked(folder), (folder / LOCK).exists()
        log = _last_lines(folder / LOG)
        begins = [place for place, line in enumerate(log) if line.startswith(BEGINS)]
        log = log[begins[-1] :] if begins else log
        path = folder / STATE
        state = TrainingState.read(path) if path.exists() else None
        epochs = _planned(folder)
        status, reason = Status.TRAINING, ""
        if not lives:
            ended = state is not None and state.epoch == epochs or (folder / WEIGHTS).exists()
            status, reason = _how_ended(log, ended, has_lock, state is not None)
        return cls(
            status=status,
            reason=reason,
            history=run_files.read_history(folder / HISTORY),
            epochs=epochs,
            state=state,
            written=path.stat().st_mtime if state is not None else 0.0,
            log=log,
        )

    @property
    def is_over(self) -> bool:
        """Whether nothing more will be written unless the run is resumed."""
        return self.status not in (Status.WAITING, Status.TRAINING)

    def seconds_left(self, now: float) -> float | None:
        """How long all planned epochs still take, by the time of those before.

        The first epoch, in which a model is compiled, does not count if there are others.

        Args:
            now: The time, in seconds since 1970.

        Returns:
            Seconds; None before the first epoch.
        """
        state, epochs = self.state, self.epochs
        if state is None or epochs is None or not state.epoch or self.is_over:
            return None
        first = self.history.get("seconds", [0.0])[0] if state.epoch > 1 else 0.0
        each = (state.seconds - first) / (state.steps / state.steps_per_epoch - (state.epoch > 1))
        left = each * (epochs - state.steps / state.steps_per_epoch)
        return max(0.0, left - max(0.0, now - self.written))

    def seconds_to_limit(self, now: float) -> float | None:
        """How long until the time limit ends the training.

        Args:
            now: The time, in seconds since 1970.

        Returns:
            Seconds; None if it has no limit, or has ended.
        """
        if self.state is None or self.state.ends_at is None or self.is_over:
            return None
        return max(0.0, self.state.ends_at - now)


def _planned(folder: Path) -> int | None:
    """The number of planned epochs; None if there is no config yet, or it is just replaced."""
    try:
        planned = read_config(to_resume(folder))["training"].get("epochs")
    except (UserError, OSError):
        return None
    return planned if isinstance(planned, int) else None


def _how_ended(
    log: Sequence[str], all_epochs: bool, has_lock: bool, has_state: bool
) -> tuple[Status, str]:
    """How a training ended that no process does any more, and why.

    Args:
        log: Its lines.
        all_epochs: Whether its files say that it came to its end.
        has_lock: Whether it left its lock, which only a process that is killed leaves.
        has_state: Whether it has a checkpoint.
    """
    if has_lock:
        return Status.KILLED, ""
    for line in reversed(log):
        if line.startswith(STOPPED):
            return Status.STOPPED, line
        if line.startswith(ENDED):
            return Status.ENDED, line
    if all_epochs:
        return Status.ENDED, ""
    return (Status.STOPPED, "") if log or has_state else (Status.WAITING, "")


def _last_lines(path: Path) -> list[str]:
    """The last lines of a log, without their times."""
    try:
        with open_regular(path) as file:
            size = file.seek(0, 2)
            file.seek(max(0, size - TAIL))
            text = file.read(TAIL).decode("utf-8", errors="replace")
    except (OSError, ValueError):
        return []
    lines = text.split("\n")[1 if size > TAIL else 0 :]
    return [STAMP.sub("", line) for line in lines if line]
