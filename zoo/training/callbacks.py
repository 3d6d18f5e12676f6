"""Callbacks of `model.fit`: progress, checks, evaluation, checkpoints and early stopping."""

import math
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import keras

from zoo.data_statistics import counted
from zoo.errors import UserError
from zoo.option_names import option_name
from zoo.training.checkpoint import Checkpoints
from zoo.training.history import write_csv
from zoo.training.hosts import wait_for_all
from zoo.training.interruption import Interruption
from zoo.training.progress import TrainingProgress
from zoo.training.run_log import RunLog
from zoo.training.save_every import SaveEvery
from zoo.training.state import TrainingState
from zoo.training.tensorboard import TensorBoardWriter
from zoo.training.termination import TERMINATED, Terminated, Termination

LINES = 100  # maximum number of epochs in the log; `history.csv` has all


class WatchBatches(keras.callbacks.Callback):
    """Callback that shows progress, and stops at a non-finite loss, the time limit or Ctrl-C.

    Reading a loss waits for the device. Keras calls callbacks that are marked `async_safe` from
    another thread, so that training continues meanwhile. Such a call only records what it sees, and
    the next call in the training thread acts on it.

    Args:
        progress: Progress bar to update.
        interruption: Records Ctrl-C, which ends training after the current batch.
        log: Log of the run.
        deadline: Value of `time.monotonic()` at which to stop, or None for no limit.
    """

    async_safe = True

    def __init__(
        self,
        progress: TrainingProgress,
        interruption: Interruption,
        log: RunLog,
        deadline: float | None = None,
    ) -> None:
        super().__init__()
        self.progress = progress
        self.interruption = interruption
        self.log = log
        self.deadline = deadline
        self.skipped = 0  # batches of a resumed epoch, before the first that is trained on
        self.steps = 0  # started in this epoch
        self.seconds = 0.0  # duration of this epoch, without validation
        self.out_of_time = False
        self._began = 0.0
        self._epoch = 0
        self._broken: tuple[int, float] | None = None  # step and loss

    def on_epoch_begin(self, epoch: int, logs: dict[str, Any] | None = None) -> None:
        self.steps, self._epoch = 0, epoch + 1
        self.seconds, self._began = 0.0, time.monotonic()
        self.progress.begin_epoch(self._epoch)

    def on_train_batch_begin(self, batch: int, logs: dict[str, Any] | None = None) -> None:
        self.check()
        if self.interruption.requested:
            if not (self.steps or self.skipped):  # nothing of this epoch to keep
                raise KeyboardInterrupt
            self.log(
                "Ctrl-C: finishing this batch, then evaluating and saving the weights; "
                "press Ctrl-C again to discard this epoch"
            )
            self.model.stop_training = True  # after this batch
        self.steps = batch + 1 + self.skipped
        if self.deadline is not None and time.monotonic() > self.deadline:
            self.out_of_time = self.model.stop_training = True  # after this batch

    def on_train_batch_end(self, batch: int, logs: dict[str, Any] | None = None) -> None:
        logs = logs or {}
        step = batch + 1 + self.skipped
        loss = logs["loss"]  # the mean since the start of the epoch: once NaN, it stays NaN
        if not math.isfinite(loss):
            self._broken = min(self._broken or (step, loss), (step, loss))
        self.progress.update(step, loss, logs.get("tokens"))

    def on_test_begin(self, logs: dict[str, Any] | None = None) -> None:
        self.check()
        self.seconds = time.monotonic() - self._began

    def on_epoch_end(self, epoch: int, logs: dict[str, Any] | None = None) -> None:
        self.check()
        self.seconds = self.seconds or time.monotonic() - self._began

    @property
    def cut_short(self) -> bool:
        """Whether an epoch may end before its last batch."""
        return self.out_of_time or self.interruption.requested

    def check(self) -> None:
        """Raises an error if a loss was not finite."""
        if self._broken is not None:
            step, loss = self._broken
            raise UserError(
                f"The loss became {loss} at step {step} of epoch {self._epoch}. Try a lower "
                "learning rate, a longer warm-up, a lower clipnorm, or mixed_bfloat16 instead of "
                "mixed_float16. The last good checkpoint is kept."
            )


class EndEpoch(keras.callbacks.Callback):
    """Callback at the end of each epoch: evaluates, saves a checkpoint, logs, and stops early.

    Args:
        state: State of the run, which this callback updates.
        checkpoints: Where to save.
        watch: The `WatchBatches` callback of the run, which counts the batches.
        log: Log of the run.
        csv_path: Path of the history file, or None.
        tensorboard: TensorBoard writer, or None.
        evaluate: Function that computes further metrics from the model, or None.
        evaluate_every: Number of epochs between calls of `evaluate`.
        epochs: Number of the last epoch, which is always evaluated.
        patience: Early stopping: number of evaluations without improvement of the monitored value
            after which training stops, or None.
        termination: SIGTERM, which ends the process after the epoch.
        saved: Function called after each checkpoint, or None.
    """

    def __init__(
        self,
        state: TrainingState,
        checkpoints: Checkpoints,
        watch: WatchBatches,
        log: RunLog,
        csv_path: Path | None,
        tensorboard: TensorBoardWriter | None,
        evaluate: Callable[[keras.Model], dict[str, float]] | None,
        evaluate_every: int,
        epochs: int,
        patience: int | None,
        termination: Termination,
        saved: Callable[[], None] | None,
    ) -> None:
        super().__init__()
        self.state = state
        self.checkpoints = checkpoints
        self.watch = watch
        self.log = log
        self.csv_path = csv_path
        self.tensorboard = tensorboard
        self.evaluate = evaluate
        self.evaluate_every = evaluate_every
        self.epochs = epochs
        self.patience = patience
        self.termination = termination
        self.saved = saved
        self._before = state.seconds
        self._began = time.monotonic()

    def on_epoch_end(self, epoch: int, logs: dict[str, Any] | None = None) -> None:
        number, steps = epoch + 1, self.watch.steps
        complete = steps == self.state.steps_per_epoch
        if not complete and not self.watch.cut_short:
            raise UserError(
                f"The training data ended after {steps} of {self.state.steps_per_epoch} batches "
                f"in epoch {number}: it must provide steps_per_epoch batches in every epoch."
            )
        row = self._measure(number, steps, logs or {})
        best = self.state.record(row, self.checkpoints.keep, complete)
        self.state.seconds = self.seconds()
        self.checkpoints.save(self.model, self.state, best)
        if self.saved is not None:
            self.saved()
        if self.csv_path is not None:
            write_csv(self.state.history, self.csv_path)
        if self.tensorboard is not None:
            self.tensorboard.write(row)
        stops = self.out_of_patience() or self.watch.interruption.requested
        ends = self.termination.requested
        if stops or ends or number in (1, self.epochs) or not number % -(-self.epochs // LINES):
            self._report(row, best, complete, steps)
        if ends:
            self.end_process()
        if stops:
            self.model.stop_training = True

    def end_process(self) -> None:
        """Ends the process, as SIGTERM asked."""
        step = f" and {counted(self.state.step, 'batches')}" if self.state.step else ""
        how = "; resume to continue from there" if self.checkpoints.resumable else ""
        self.log(f"ended by SIGTERM after epoch {self.state.epoch}{step}{how}")
        wait_for_all("ended")  # else a launcher may kill the one that still writes
        raise SystemExit(TERMINATED)

    def seconds(self) -> float:
        """Training time, including all resumes."""
        return self._before + time.monotonic() - self._began

    def out_of_patience(self) -> bool:
        return self.patience is not None and self.state.waited >= self.patience

    def _measure(self, number: int, steps: int, logs: dict[str, Any]) -> dict[str, Any]:
        row: dict[str, Any] = {"epoch": number}
        row |= {name: value for name, value in logs.items() if name != "val_tokens"}
        row["learning_rate"] = float(self.model.optimizer.learning_rate)
        last = number == self.epochs or self.watch.cut_short
        row["seconds"] = round(self.watch.seconds, 3)
        if self.evaluate is not None and (last or number % self.evaluate_every == 0):
            with self.termination.at_once():
                scores = self.evaluate(self.model)
            row |= {name: float(value) for name, value in scores.items()}
        monitor = self.state.monitor
        if monitor is not None and monitor not in row and (last or self.evaluate is None):
            choices = ", ".join(name for name in row if name not in ("epoch", "seconds"))
            raise UserError(f"{option_name('monitor')} must be one of {choices}; got {monitor!r}.")
        return row

    def _report(self, row: dict[str, Any], best: bool, complete: bool, steps: int) -> None:
        numbers = [
            f"{name} {value:.4g}"
            for name, value in row.items()
            if name not in ("epoch", "tokens", "seconds") and value is not None
        ]
        if row.get("tokens"):
            numbers.append(f"{row['tokens'] / row['seconds']:,.0f} tokens/s")
        numbers.append(f"{row['seconds']:.0f} s")
        if not complete:
            numbers.append(f"stopped after {steps} of {self.state.steps_per_epoch} batches")
        if best and self.state.monitor is not None:
            numbers.append("best")
        self.log(f"epoch {row['epoch']}/{self.epochs}: " + " · ".join(numbers))


class SaveSteps(keras.callbacks.Callback):
    """Callback that saves checkpoints in the middle of epochs, and resumes from one.

    It acts before a batch, when all numbers are those after the batches before. At SIGTERM, it
    saves one and ends the process; if the epoch is being validated, one with all its batches.

    Args:
        state: State of the run, which this callback updates.
        checkpoints: Where to save.
        watch: The `WatchBatches` callback of the run, which counts the batches.
        end: The `EndEpoch` callback of the run, which counts the time.
        every: When to save, or None for never.
    """

    def __init__(
        self,
        state: TrainingState,
        checkpoints: Checkpoints,
        watch: WatchBatches,
        end: EndEpoch,
        every: SaveEvery | None,
    ) -> None:
        super().__init__()
        self.state, self.checkpoints, self.watch = state, checkpoints, watch
        self.end, self.every = end, every
        self._resumes = bool(state.step)
        self._trained: list[Any] = []  # metrics of the epoch, before it is validated

    def on_epoch_begin(self, epoch: int, logs: dict[str, Any] | None = None) -> None:
        self._skipped, self._before = self.watch.skipped, self.state.epoch_seconds
        self._began = time.monotonic()
        if self._resumes:
            self.checkpoints.restore_metrics(self.model)
            self._resumes = False
        elif (reset := getattr(self.model, "reset_states", None)) is not None:
            reset()  # of a stateful model

    def on_train_batch_begin(self, batch: int, logs: dict[str, Any] | None = None) -> None:
        step = self._skipped + batch
        ends = self.end.termination.due()
        if batch:
            self.end.termination.arm()
            stops = self.watch.interruption.requested and self.every is not None
            if ends or stops or (self.every is not None and self.every.due(step)):
                self._save(step)
        if ends:
            self.end.end_process()

    def on_test_begin(self, logs: dict[str, Any] | None = None) -> None:
        self._trained = [keras.ops.convert_to_numpy(each) for each in self.model.metrics_variables]

    def on_test_batch_begin(self, batch: int, logs: dict[str, Any] | None = None) -> None:
        if self.end.termination.due():
            raise Terminated

    def end_process(self) -> None:
        """Saves a checkpoint of all batches of the epoch, without its validation, and ends."""
        for variable, value in zip(self.model.metrics_variables, self._trained, strict=False):
            variable.assign(value)
        self._save(self.state.steps_per_epoch)
        self.end.end_process()

    def _save(self, step: int) -> None:
        if not self.checkpoints.resumable:
            return
        self.watch.check()
        self.state.step = step
        self.state.epoch_seconds = self._before + time.monotonic() - self._began
        self.state.seconds = self.end.seconds()
        self.checkpoints.save_step(self.model, self.state)
        if self.end.saved is not None:
            self.end.saved()

    def on_epoch_end(self, epoch: int, logs: dict[str, Any] | None = None) -> None:
        self.watch.seconds += self._before
