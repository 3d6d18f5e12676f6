"""Callback that watches batches: progress, losses that are not finite, the time limit, Ctrl-C."""

import math
import threading
import time
from collections import deque
from typing import Any

import keras
import numpy as np

from zoo.errors import UserError
from zoo.training.interruption import Interruption
from zoo.training.progress import TrainingProgress
from zoo.training.run_log import RunLog

AHEAD = 2  # one that the device computes, and one that waits for it
RECENT = 101  # steps whose time is kept
PATIENCE = 60.0  # seconds, after which there is no limit: a result may never come


class InFlight:
    """A limit of the batches that are handed to a device and not finished.

    JAX returns from a step before it is computed, and would hand dozens of them to the device.
    Whatever needs the weights then waits for all of them, such as a checkpoint at SIGTERM.

    Example:
        >>> batches = InFlight()
        >>> batches.start()
        >>> batches.finish()
        >>> batches.count
        0
    """

    def __init__(self, ahead: int = AHEAD, patience: float = PATIENCE) -> None:
        self.count = 0
        self._ahead, self._patience = ahead, patience
        self._changed = threading.Condition()

    def reset(self) -> None:
        """Forgets batches whose results will not come."""
        with self._changed:
            self.count = 0

    def start(self) -> None:
        """Waits until a further batch may start, which is counted."""
        with self._changed:
            self._changed.wait_for(lambda: self.count < self._ahead, self._patience)
            self.count += 1

    def finish(self) -> None:
        """Counts a batch whose result has arrived, from any thread."""
        with self._changed:
            self.count = max(0, self.count - 1)
            self._changed.notify()


class WatchBatches(keras.callbacks.Callback):
    """Callback that shows progress, and stops at a non-finite loss, the time limit or Ctrl-C.

    Reading a loss waits for the device. Keras calls callbacks that are marked `async_safe` from
    another thread, so that training continues meanwhile. Such a call only records what it sees, and
    the next call in the training thread acts on it. No more than two batches are started before the
    loss of the one before them was read.

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
        self._trains = False  # whether a batch was started since the training began
        self._began = 0.0
        self._epoch = 0
        self._broken: tuple[int, float] | None = None  # step and loss
        self._in_flight = InFlight()
        self._ended: float | None = None  # when the batch before ended, of those in a row
        self._took: deque[float] = deque(maxlen=RECENT)

    def on_epoch_begin(self, epoch: int, logs: dict[str, Any] | None = None) -> None:
        self.steps, self._epoch = 0, epoch + 1
        self.seconds, self._began = 0.0, time.monotonic()
        self._in_flight.reset()
        self._ended = None
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
        self._in_flight.start()
        self.steps = batch + 1 + self.skipped
        begun, self._trains = self._trains, True
        # However long the first batch takes to compile, a run that is resumed goes on.
        if begun and self.deadline is not None and time.monotonic() > self.deadline:
            self.out_of_time = self.model.stop_training = True  # after this batch

    def on_train_batch_end(self, batch: int, logs: dict[str, Any] | None = None) -> None:
        logs = logs or {}
        step = batch + 1 + self.skipped
        loss = logs["loss"]  # the mean since the start of the epoch: once NaN, it stays NaN
        if not math.isfinite(loss):
            self._broken = min(self._broken or (step, loss), (step, loss))
        self.progress.update(step, loss, logs.get("tokens"))
        before, self._ended = self._ended, time.monotonic()
        if before is not None:  # the first of an epoch waits for data, or is compiled
            self._took.append(self._ended - before)
        self._in_flight.finish()

    @property
    def step_seconds(self) -> float | None:
        """The median time of the recent steps; None before the second step."""
        return float(np.median(self._took)) if self._took else None

    def since_epoch_began(self) -> float:
        """Seconds since this epoch began, with its validation."""
        return time.monotonic() - self._began

    def on_test_begin(self, logs: dict[str, Any] | None = None) -> None:
        self.check()
        self.seconds = self.since_epoch_began()
        self._in_flight.reset()

    def on_test_batch_begin(self, batch: int, logs: dict[str, Any] | None = None) -> None:
        self._in_flight.start()

    def on_test_batch_end(self, batch: int, logs: dict[str, Any] | None = None) -> None:
        self._in_flight.finish()

    def on_epoch_end(self, epoch: int, logs: dict[str, Any] | None = None) -> None:
        self.check()
        self.seconds = self.seconds or self.since_epoch_began()

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
