"""Callback that saves checkpoints in the middle of epochs, and resumes from one."""

import time
from typing import Any

import keras

from zoo.training.checkpoint import Checkpoints
from zoo.training.end_epoch import EndEpoch
from zoo.training.save_every import SaveEvery
from zoo.training.state import TrainingState
from zoo.training.watch_batches import WatchBatches


class SaveSteps(keras.callbacks.Callback):
    """Callback that saves checkpoints in the middle of epochs, and resumes from one.

    It acts before a batch, when all numbers are those after the batches before. It saves one before
    the last batch of an epoch that Ctrl-C or the time limit cuts short, from which a resumed run
    goes on. At SIGTERM, it saves one and ends the process; if the epoch is being validated, one
    with all its batches.

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
        stops = ends or self.watch.cut_short
        if batch:
            self.end.termination.arm()
            if stops or (self.every is not None and self.every.due(step)):
                self._save(step)
        if stops and self.checkpoints.behind:  # the end of the epoch before was put off
            self._save(step)
        if ends:
            self.end.end_process()

    def on_test_begin(self, logs: dict[str, Any] | None = None) -> None:
        self._trained = [keras.ops.convert_to_numpy(each) for each in self.model.metrics_variables]

    def on_test_batch_begin(self, batch: int, logs: dict[str, Any] | None = None) -> None:
        self.end.termination.check()

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
        if self.end.hooks.saved is not None:
            self.end.hooks.saved()
        self.end.files.write_history(self.state)

    def on_epoch_end(self, epoch: int, logs: dict[str, Any] | None = None) -> None:
        self.watch.seconds += self._before
