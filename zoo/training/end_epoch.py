"""Callback at the end of each epoch: evaluation, checkpoint, log and early stopping."""

import time
from typing import Any

import keras

from zoo.data_statistics import counted
from zoo.errors import UserError
from zoo.option_names import option_name
from zoo.training.callbacks import EpochResult
from zoo.training.data import Evaluate
from zoo.training.hosts import count_processes, wait_for_all
from zoo.training.plan import TrainingPlan
from zoo.training.run_files import RunFiles
from zoo.training.session import Hooks
from zoo.training.state import TrainingState
from zoo.training.termination import TERMINATED, Termination
from zoo.training.time_limit import cut_by_limit
from zoo.training.watch_batches import WatchBatches

LINES = 100  # maximum number of epochs in the log; `history.csv` has all
FIRST = 10  # epochs, each of which ends with a checkpoint, however short it is
SECONDS = 10.0  # between checkpoints at the ends of later epochs, at least


class EndEpoch(keras.callbacks.Callback):
    """Callback at the end of each epoch: evaluates, saves a checkpoint, logs, and stops early.

    Args:
        state: State of the run, which this callback updates.
        files: Files of the run.
        watch: The `WatchBatches` callback of the run, which counts the batches.
        plan: Plan of the run.
        evaluate: Function that computes further metrics from the model, or None.
        termination: SIGTERM, which ends the process after the epoch.
        hooks: What is called after each checkpoint, and is told the metrics.
    """

    def __init__(
        self,
        state: TrainingState,
        files: RunFiles,
        watch: WatchBatches,
        plan: TrainingPlan,
        evaluate: Evaluate | None,
        termination: Termination,
        hooks: Hooks,
    ) -> None:
        super().__init__()
        self.state = state
        self.files = files
        self.watch = watch
        self.plan = plan
        self.evaluate = evaluate
        self.termination = termination
        self.hooks = hooks
        self.ended_by_callback = False
        self._said_what_fits = False
        self._before = state.seconds
        self._began = self._saved_at = time.monotonic()

    def on_epoch_end(self, epoch: int, logs: dict[str, Any] | None = None) -> None:
        number, steps = epoch + 1, self.watch.steps
        complete = steps == self.state.steps_per_epoch
        if not complete and not self.watch.cut_short:
            raise UserError(
                f"The training data ended after {steps} of {self.state.steps_per_epoch} batches "
                f"in epoch {number}: it must provide steps_per_epoch batches in every epoch."
            )
        row = self._measure(number, steps, logs or {})
        best = self.state.record(row, self.files.checkpoints.keep, complete)
        self.state.seconds = self.seconds()
        self.ended_by_callback = self._told(row)
        stops = self.stopped_early() or self.watch.cut_short
        ends = self.termination.requested
        if stops or ends or self._saves(number):
            self._save(best)
        else:
            self.files.checkpoints.put_off(self.model, self.state, best)
        self.files.write_tensorboard(row)
        shown = number in (1, self.plan.epochs) or not number % -(-self.plan.epochs // LINES)
        if stops or ends or shown:
            self._report(row, best, complete, steps)
        if complete and not (stops or ends):
            self._say_what_fits(number)
        if ends:
            self.end_process()
        if stops:
            self.model.stop_training = True

    def _say_what_fits(self, number: int) -> None:
        """Says once, after the first whole epoch, if the time limit comes before the last one."""
        deadline, step_seconds = self.watch.deadline, self.watch.step_seconds
        if self._said_what_fits or deadline is None or step_seconds is None:
            return
        self._said_what_fits = True
        validation = self.watch.since_epoch_began() - self.watch.seconds
        each = step_seconds * self.plan.steps_per_epoch + validation
        line = cut_by_limit(self.plan, number, each, deadline - time.monotonic())
        if line is not None:
            self.files.log(line)

    def _saves(self, number: int) -> bool:
        """Whether an epoch ends with a checkpoint: saving a small model takes most of a second."""
        due = time.monotonic() - self._saved_at >= SECONDS
        return number <= FIRST or number == self.plan.epochs or due or count_processes() > 1

    def _save(self, best: bool) -> None:
        self.files.checkpoints.save(self.model, self.state, best)
        if self.hooks.saved is not None:
            self.hooks.saved()
        self.files.write_history(self.state)
        self._saved_at = time.monotonic()

    def end_process(self) -> None:
        """Ends the process, as SIGTERM asked."""
        step = f" and {counted(self.state.step, 'batches')}" if self.state.step else ""
        how = "; resume to continue from there" if self.files.checkpoints.resumable else ""
        self.files.log(f"ended by SIGTERM after epoch {self.state.epoch}{step}{how}")
        wait_for_all("ended")  # else a launcher may kill the one that still writes
        raise SystemExit(TERMINATED)

    def seconds(self) -> float:
        """Training time, including all resumes."""
        return self._before + time.monotonic() - self._began

    def out_of_patience(self) -> bool:
        return self.plan.patience is not None and self.state.waited >= self.plan.patience

    def stopped_early(self) -> bool:
        """Whether a callback or early stopping ended the training."""
        return self.ended_by_callback or self.out_of_patience()

    def _told(self, row: dict[str, Any]) -> bool:
        """Tells the callbacks the metrics of an epoch; whether one of them ends the training."""
        numbers = {name: value for name, value in row.items() if name != "epoch"}
        result = EpochResult(row["epoch"], numbers, self.state.monitor, self.state.mode)
        ends = [bool(each.on_epoch(result)) for each in self.hooks.callbacks]
        if any(ends) and count_processes() > 1:
            raise UserError("a callback cannot end a training of several processes")
        return any(ends)

    def _measure(self, number: int, steps: int, logs: dict[str, Any]) -> dict[str, Any]:
        row: dict[str, Any] = {"epoch": number}
        row |= {name: value for name, value in logs.items() if name != "val_tokens"}
        row |= self.plan.objective.learned()
        row["learning_rate"] = float(self.model.optimizer.learning_rate)
        last = number == self.plan.epochs or self.watch.cut_short
        row["seconds"] = round(self.watch.seconds, 3)
        if self.evaluate is not None and (last or number % self.plan.evaluate_every == 0):
            scores = self.evaluate(self.model, self.termination.check)
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
        self.files.log(f"epoch {row['epoch']}/{self.plan.epochs}: " + " · ".join(numbers))
