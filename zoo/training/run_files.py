"""Files of a training run: its checkpoints, its history and its logs."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

from rich.console import Console

from zoo.training.checkpoint import Checkpoints
from zoo.training.history import HISTORY, write_csv
from zoo.training.hosts import writes
from zoo.training.options import SessionOptions
from zoo.training.run_log import RunLog
from zoo.training.state import TrainingState
from zoo.training.tensorboard import TensorBoardWriter, open_writer
from zoo.training.updating_line import UpdatingLine, console_of, line_of_notebook
from zoo.untrusted import check_inside

CHECKPOINTS, TENSORBOARD, LOG = "checkpoints", "tensorboard", "log.txt"


class RunFiles:
    """Files of a run, and the console.

    Args:
        folder: The run folder, or None if this process writes none.
        checkpoints: The checkpoints of the run.
        console: The console, or None to print nothing.
        tensorboard: Whether to write TensorBoard logs.
        line: The line of a notebook that the console writes to, or None.
    """

    def __init__(
        self,
        folder: Path | None,
        checkpoints: Checkpoints,
        console: Console | None,
        tensorboard: bool = False,
        line: UpdatingLine | None = None,
    ) -> None:
        self.folder = folder
        self.checkpoints = checkpoints
        self.console = console
        self.line = line
        self.log = RunLog(None if folder is None else folder / LOG, console)
        self._has_tensorboard = tensorboard

    def write_history(self, state: TrainingState) -> None:
        """Writes the metrics of all epochs, if there are any."""
        if self.folder is not None and state.history:
            write_csv(state.history, self.folder / HISTORY)

    def write_tensorboard(self, row: dict[str, Any]) -> None:
        """Writes the metrics of an epoch."""
        if self._writer is not None:
            self._writer.write(row)

    @cached_property
    def _writer(self) -> TensorBoardWriter | None:
        if self.folder is None or not self._has_tensorboard:
            return None
        return open_writer(self.folder, self.log)


@contextmanager
def run_files(session: SessionOptions, average: int) -> Iterator[RunFiles]:
    """Context manager with the files of a run; without a folder, checkpoints are temporary.

    Args:
        session: Validated options of the call.
        average: Number of best epochs whose weights are averaged.

    Raises:
        UserError: If a folder is a link to another place.
    """
    first = writes()  # of several processes
    line = line_of_notebook() if session.verbose and first else None
    console = console_of(line) if session.verbose and first else None
    kept = average if average > 1 else 0
    if session.folder is None:
        with tempfile.TemporaryDirectory() as temporary:
            temporary_ones = Checkpoints(Path(temporary), kept, resumable=False)
            yield RunFiles(None, temporary_ones, console, line=line)
        return
    folder = Path(session.folder)
    for name in (CHECKPOINTS, TENSORBOARD):
        check_inside(folder / name, folder)
    checkpoints = Checkpoints(folder / CHECKPOINTS, kept, keep_last=session.keep, writes=first)
    yield RunFiles(folder if first else None, checkpoints, console, session.tensorboard, line)
