"""Checkpoints: the files on disk are always one complete, consistent state of the run.

Every file is written under a temporary name and then renamed, which is atomic. Weights and
`state.json` change together: the new state is first written next to the old one, and renaming the
weights commits it. If the run was killed between the two renames, the second is done on resuming.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import h5py
import keras
import numpy as np

from export.files import sync
from zoo.atomic import replacing
from zoo.errors import DiskFull, UserError
from zoo.training.hdf5 import member, open_hdf5
from zoo.training.hosts import alone
from zoo.training.seal import seal
from zoo.training.state import TrainingState
from zoo.training.weights import (
    copy_weights,
    damaged,
    file_size,
    load_weights,
    save_weights,
    seed_variables,
)

_RESUME = "resume"  # HDF5 group for what Keras does not save in a weights file


class Checkpoints:
    """Checkpoints of one training run.

    The files are `last.weights.h5` (weights, optimizer, random states), `best.weights.h5` and
    `epoch-NNNN.weights.h5` (weights only; the latter for averaging), and `state.json`.

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

    def _save(self, model: keras.Model, state: TrainingState, is_best: bool) -> None:
        newest = state.history[-1]["epoch"]
        complete = state.epoch == newest  # otherwise time ran out, and resuming repeats this epoch
        copied = is_best and self.resumable and complete  # from the weights to resume from
        if is_best and not copied:
            save_weights(model, self.best)
        if any(epoch == newest for _, epoch in state.kept):
            save_weights(model, self._epoch_file(newest))
        if self.resumable:
            self._commit(model, state, weights=complete, best=copied)
        wanted = set(self.kept(state))
        for path in self.folder.glob("epoch-*.weights.h5"):
            if path not in wanted:
                path.unlink()

    def _commit(
        self,
        model: keras.Model,
        state: TrainingState,
        weights: bool = True,
        best: bool = False,
    ) -> None:
        """Replaces the state, and the weights to resume from, in one step; the best before them."""
        with replacing(self._pending) as path:
            path.write_text(state.to_json(), encoding="utf-8")
        if weights:
            self._keep_last()
            self._save_last(model, state, best)
        os.replace(self._pending, self.state)
        sync(self.folder)

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
        progress = self._weights_progress()
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
        load_weights(model, self.last, optimizer=True)
        variables = seed_variables(model)
        seeds = self._read_seeds(len(variables))
        for variable, seed in zip(variables, seeds, strict=True):
            variable.assign(seed.astype(variable.dtype))

    def restore_metrics(self, model: keras.Model) -> None:
        """Restores the metrics of an epoch that was left in its middle."""
        variables = model.metrics_variables
        with self._reading() as file:
            values = member(member(file, _RESUME, h5py.Group), "metrics", h5py.Group)
            if len(values) != len(variables):
                raise ValueError(f"it has {len(values)} metrics, the model {len(variables)}")
            for number, variable in enumerate(variables):
                value = np.asarray(member(values, str(number), h5py.Dataset))
                if value.shape != tuple(variable.shape) or value.dtype.kind not in "iuf":
                    raise ValueError(f"its metric {number} has another shape")
                variable.assign(value.astype(variable.dtype))

    def _save_last(self, model: keras.Model, state: TrainingState, best: bool) -> None:
        # If this fails, the pending state is of no weights and ignored, or of those just renamed.
        size = file_size([*model.weights, *model.optimizer.variables])
        with replacing(self.last, size) as path, alone():
            model.save_weights(path)
            if best:
                copy_weights(path, self.best, file_size(model.weights))
            _write_resume(path, model, state)
            seal(path)

    def _epoch_file(self, epoch: int) -> Path:
        return self.folder / f"epoch-{epoch:04d}.weights.h5"

    def _read_seeds(self, count: int) -> np.ndarray:
        """The random states, (count, 2)."""
        with self._reading() as file:
            seeds = member(member(file, _RESUME, h5py.Group), "seeds", h5py.Dataset)
            if seeds.ndim != 2 or seeds.shape[1] != 2 or seeds.dtype.kind not in "iu":
                raise ValueError(f"{seeds.name} has no random states")
            if len(seeds) != count:
                raise UserError(
                    f"{self.last} has {len(seeds)} random states, but the model has "
                    f"{count}: resume with the same model."
                )
            return np.asarray(seeds)

    def _weights_progress(self) -> tuple[int, int]:
        """The epoch and the step of the weights."""
        if not self.last.exists():
            return 0, 0
        with self._reading() as file:
            attributes = member(file, _RESUME, h5py.Group).attrs
            names = [name for name in ("epoch", "step") if name in attributes]
            for name in names or ["epoch"]:
                attribute = attributes.get_id(name)
                if attribute.shape != () or attribute.dtype.kind not in "iu":
                    raise ValueError(f"/{_RESUME} has no number of an epoch")
            progress = {name: int(attributes[name]) for name in names}
            return progress["epoch"], progress.get("step", 0)

    @contextmanager
    def _reading(self) -> Iterator[h5py.File]:
        """Opens the last weights, and reports what is wrong with them as damage."""
        try:
            with open_hdf5(self.last) as file:
                yield file
        except UserError:
            raise
        except (OSError, KeyError, RuntimeError, ValueError) as error:
            raise damaged(self.last, error) from error


def _write_resume(path: Path, model: keras.Model, state: TrainingState) -> None:
    seeds = [keras.ops.convert_to_numpy(variable) for variable in seed_variables(model)]
    with h5py.File(path, "r+") as file:
        group = file.create_group(_RESUME)
        group.attrs["epoch"], group.attrs["step"] = state.epoch, state.step
        metrics = group.create_group("metrics")
        for number, variable in enumerate(model.metrics_variables if state.step else ()):
            metrics[str(number)] = keras.ops.convert_to_numpy(variable)
        group.create_dataset("seeds", data=np.asarray(seeds, "int64").reshape(-1, 2))
