"""Checkpoints: the files on disk are always one complete, consistent state of the run.

Every file is written under a temporary name and then renamed, which is atomic. Weights and
`state.json` change together: the new state is first written next to the old one, and renaming the
weights commits it. If the run was killed between the two renames, the second is done on resuming.
An epoch may be put off: its weights are then kept in memory if they are the best or to be averaged,
and written with the next checkpoint.
"""

import os
from pathlib import Path

import keras

from export.files import sync
from zoo.atomic import replacing
from zoo.errors import DiskFull, UserError
from zoo.training.held_weights import HeldWeights, assign, copied
from zoo.training.hosts import alone
from zoo.training.low_rank import trained_part
from zoo.training.resume_group import (
    read_progress,
    restore_metrics,
    restore_seeds,
    write_resume_group,
)
from zoo.training.seal import seal
from zoo.training.state import TrainingState
from zoo.training.weights import (
    copy_weights,
    file_size,
    load_weights,
    save_weights,
)


class Checkpoints:
    """Checkpoints of one training run.

    The files are `last.weights.h5` (weights, optimizer, random states), `best.weights.h5` and
    `epoch-NNNN.weights.h5` (weights only; the latter for averaging), and `state.json`. Of a model
    with low-rank updates, these alone are saved.

    Args:
        folder: Folder of the files; created if missing.
        keep: Number of best epochs whose weights are kept for averaging.
        resumable: Whether to write `last.weights.h5` and `state.json`.
        keep_last: Number of checkpoints to resume from that are kept. Those before the last are
            `step-NNNNNNNNN.weights.h5` and `.state.json`: to go back to one, copy the two over
            `last.weights.h5` and `state.json`.
        writes: Whether to write at all: of several processes with one folder, one does.

    Raises:
        UserError: If the disk is full, a file is damaged, or the files belong to another model.

    Example:
        >>> import tempfile
        >>> checkpoints = Checkpoints(Path(tempfile.mkdtemp()))
        >>> checkpoints.exists()
        False
    """

    def __init__(
        self,
        folder: Path,
        keep: int = 0,
        resumable: bool = True,
        keep_last: int = 1,
        writes: bool = True,
    ) -> None:
        self.folder = Path(folder)
        self.keep = keep
        self.keep_last = keep_last
        self.resumable = resumable
        self.writes = writes
        self.last = self.folder / "last.weights.h5"
        self.best = self.folder / "best.weights.h5"
        self.averaged = self.folder / "averaged.weights.h5"
        self.state = self.folder / "state.json"
        self.behind = False  # whether an epoch was put off
        self._held = HeldWeights()
        self._pending = self.folder / "pending.state.json"
        if writes:
            self.folder.mkdir(parents=True, exist_ok=True)

    def exists(self) -> bool:
        return self.state.exists() or self.last.exists()

    def kept(self, state: TrainingState) -> list[Path]:
        """Returns the files to average, best first."""
        return [self._epoch_file(epoch) for _, epoch in state.kept]

    def save_step(self, model: keras.Model, state: TrainingState) -> None:
        """Writes what is needed to resume in the middle of an epoch."""
        if not self.writes:
            return
        try:
            self._write_held_between(model, state)
            self._commit(model, state)
        except DiskFull as error:
            if not self.exists():
                raise
            raise UserError(f"{error} The last checkpoint is intact: resume from it.") from error

    def save(self, model: keras.Model, state: TrainingState, is_best: bool) -> None:
        """Writes the files due at the end of an epoch, which `state` has already recorded."""
        if not self.writes:
            return
        try:
            self._save(model, state, is_best)
        except DiskFull as error:
            if not self.exists():
                raise
            raise UserError(f"{error} The last checkpoint is intact: resume from it.") from error

    def put_off(self, model: keras.Model, state: TrainingState, is_best: bool) -> None:
        """Keeps what `save` would write in memory, until the next checkpoint.

        If the run is killed before, it resumes from the checkpoint before.
        """
        if not self.writes:
            return
        self.behind = True
        if is_best:
            self._held.hold(trained_part(model), self.best)
        if any(epoch == state.epoch for _, epoch in state.kept):
            self._held.hold(trained_part(model), self._epoch_file(state.epoch))

    def write_held(self, model: keras.Model, state: TrainingState) -> None:
        """Writes the weights in memory, if any, which leaves the model with others."""
        wanted = {self.best, *self.kept(state)}
        self._held.keep(lambda path: path in wanted)
        self._held.write(trained_part(model))

    def _save(self, model: keras.Model, state: TrainingState, is_best: bool) -> None:
        newest = state.history[-1]["epoch"]
        complete = state.epoch == newest  # otherwise time ran out, and resuming repeats this epoch
        with_last = is_best and self.resumable and complete  # from the weights to resume from
        self._held.keep(lambda path: path != self.best or not is_best)
        self._write_held_between(model, state)
        if is_best and not with_last:
            save_weights(trained_part(model), self.best)
        if any(epoch == newest for _, epoch in state.kept):
            save_weights(trained_part(model), self._epoch_file(newest))
        if self.resumable:
            self._commit(model, state, weights=complete, best=with_last)
        wanted = set(self.kept(state))
        for path in self.folder.glob("epoch-*.weights.h5"):
            if path not in wanted:
                path.unlink()

    def _write_held_between(self, model: keras.Model, state: TrainingState) -> None:
        """Writes the weights in memory, if any, and leaves the model as it is."""
        if self._held:
            current = copied(trained_part(model))
            self.write_held(model, state)
            assign(trained_part(model), current)

    def _commit(
        self, model: keras.Model, state: TrainingState, weights: bool = True, best: bool = False
    ) -> None:
        """Replaces the state, and the weights to resume from, in one step; the best before them."""
        with replacing(self._pending) as path:
            path.write_text(state.to_json(), encoding="utf-8")
        if weights:
            self._keep_last()
            self._save_last(model, state, best)
        os.replace(self._pending, self.state)
        sync(self.folder)
        self.behind = False

    def _keep_last(self) -> None:
        """Keeps the last checkpoint under the name of its place, and deletes older ones."""
        if self.keep_last > 1 and self.last.exists() and self.state.exists():
            state = TrainingState.read(self.state)
            name = f"step-{state.epoch * state.steps_per_epoch + state.step:09d}"
            for source, ending in ((self.last, ".weights.h5"), (self.state, ".state.json")):
                with replacing(self.folder / f"{name}{ending}") as path:
                    os.link(source, path)
        kept = sorted({path.name[:14] for path in self.folder.glob("step-*")})
        for name in kept[: max(0, len(kept) - self.keep_last + 1)]:
            for path in sorted(self.folder.glob(f"{name}.*")):
                path.unlink()

    def read_state(self) -> TrainingState:
        """Reads the state to resume from, and checks that it matches the weights."""
        progress = read_progress(self.last)
        if self._pending.exists():  # killed while saving
            try:
                pending = TrainingState.read(self._pending)
                if (pending.epoch, pending.step) == progress:
                    if not self.writes:
                        return pending
                    os.replace(self._pending, self.state)
            except UserError:
                pass  # killed before the weights were renamed: the old pair is still valid
        state = TrainingState.read(self.state)
        if (state.epoch, state.step) != progress:
            raise UserError(
                f"{self.state} is of epoch {state.epoch}, step {state.step}, but {self.last.name} "
                f"of epoch {progress[0]}, step {progress[1]}: restore both from the same backup, "
                "or use a new folder."
            )
        return state

    def restore(self, model: keras.Model) -> None:
        """Restores the model, its optimizer and its random states."""
        if not model.optimizer.built:
            model.optimizer.build(model.trainable_weights)
        load_weights(trained_part(model), self.last, optimizer=True)
        restore_seeds(self.last, model)

    def restore_metrics(self, model: keras.Model) -> None:
        """Restores the metrics of an epoch that was left in its middle."""
        restore_metrics(self.last, model)

    def _save_last(self, model: keras.Model, state: TrainingState, best: bool) -> None:
        # If this fails, the pending state is of no weights and ignored, or of those just renamed.
        part = trained_part(model)
        size = file_size([*part.weights, *model.optimizer.variables])
        with replacing(self.last, size) as path, alone():
            part.save_weights(path)
            if best:
                copy_weights(path, self.best, file_size(part.weights))
            write_resume_group(path, model, state)
            seal(path)

    def _epoch_file(self, epoch: int) -> Path:
        return self.folder / f"epoch-{epoch:04d}.weights.h5"
