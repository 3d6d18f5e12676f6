"""Checkpoints: what is on disk is always one whole, consistent state of the run.

Every file is written under a temporary name and then renamed, which is atomic. Weights and
`state.json` change together: the new state is laid down beside the old one first, renaming the
weights is the commit, and a run that was killed between the two renames is rolled forward.
"""

import os
from pathlib import Path

import h5py
import keras
import numpy as np

from zoo.atomic import replacing
from zoo.errors import UserError
from zoo.training.state import TrainingState
from zoo.training.weights import damaged, file_size, load_weights, save_weights, seed_variables

_RESUME = "resume"  # HDF5 group beside Keras's own: what Keras leaves out of a weights file


class Checkpoints:
    """The checkpoints of one run.

    Files: `last.weights.h5` (weights, optimizer, random states), `best.weights.h5` and
    `epoch-NNNN.weights.h5` (weights alone; the latter for averaging), `state.json`.

    Args:
        folder: Where they are; made when missing.
        keep: How many of the best epochs keep a file of their own for averaging.
        resumable: False leaves out `last.weights.h5` and `state.json`.

    Raises:
        UserError: for a full disk, a damaged file, or files of another model.

    Example:
    >>> import tempfile
    >>> checkpoints = Checkpoints(Path(tempfile.mkdtemp()))
    >>> checkpoints.exists()
    False
    """

    def __init__(self, folder: Path, keep: int = 0, resumable: bool = True) -> None:
        self.folder = Path(folder)
        self.keep = keep
        self.resumable = resumable
        self.last = self.folder / "last.weights.h5"
        self.best = self.folder / "best.weights.h5"
        self.averaged = self.folder / "averaged.weights.h5"
        self.state = self.folder / "state.json"
        self._pending = self.folder / "pending.state.json"
        self.folder.mkdir(parents=True, exist_ok=True)

    def exists(self) -> bool:
        return self.state.exists() or self.last.exists()

    def kept(self, state: TrainingState) -> list[Path]:
        """The files to average, best first."""
        return [self._epoch_file(epoch) for _, epoch in state.kept]

    def save(self, model: keras.Model, state: TrainingState, is_best: bool) -> None:
        """Writes what the end of an epoch calls for; `state` has recorded that epoch."""
        newest = state.history[-1]["epoch"]
        complete = state.epoch == newest  # else time ran out: resuming starts this epoch again
        if is_best:
            save_weights(model, self.best)
        if any(epoch == newest for _, epoch in state.kept):
            save_weights(model, self._epoch_file(newest))
        if self.resumable:
            with replacing(self._pending) as path:
                path.write_text(state.to_json(), encoding="utf-8")
            if complete:
                self._save_last(model, state.epoch)
            os.replace(self._pending, self.state)
        wanted = set(self.kept(state))
        for path in self.folder.glob("epoch-*.weights.h5"):
            if path not in wanted:
                path.unlink()

    def read_state(self) -> TrainingState:
        """The state to resume from, checked against the weights it belongs to."""
        weights_epoch = self._weights_epoch()
        if self._pending.exists():  # killed while saving
            try:
                if TrainingState.read(self._pending).epoch == weights_epoch:
                    os.replace(self._pending, self.state)
            except UserError:
                pass  # killed before the weights were in place: the old pair still holds
        state = TrainingState.read(self.state)
        if state.epoch != weights_epoch:
            raise UserError(
                f"{self.state} stands at epoch {state.epoch} but {self.last.name} at epoch "
                f"{weights_epoch}: restore both from one copy, or train into a new folder."
            )
        return state

    def restore(self, model: keras.Model) -> None:
        """Puts the model, its optimizer and its random states where the last epoch left them."""
        if not model.optimizer.built:
            model.optimizer.build(model.trainable_weights)
        load_weights(model, self.last, optimizer=True)
        with h5py.File(self.last, "r") as file:
            seeds = np.asarray(file[_RESUME]["seeds"])
        variables = seed_variables(model)
        if len(seeds) != len(variables):
            raise UserError(
                f"{self.last} holds {len(seeds)} random states, this model has {len(variables)}: "
                "resume with the model it was trained with."
            )
        for variable, seed in zip(variables, seeds, strict=True):
            variable.assign(seed.astype(variable.dtype))

    def _save_last(self, model: keras.Model, epoch: int) -> None:
        try:
            size = file_size([*model.weights, *model.optimizer.variables])
            with replacing(self.last, size) as path:
                model.save_weights(path)
                _write_resume(path, model, epoch)
        except UserError:
            self._pending.unlink()
            raise

    def _epoch_file(self, epoch: int) -> Path:
        return self.folder / f"epoch-{epoch:04d}.weights.h5"

    def _weights_epoch(self) -> int:
        if not self.last.exists():
            return 0
        try:
            with h5py.File(self.last, "r") as file:
                return int(file[_RESUME].attrs["epoch"])
        except (OSError, KeyError, RuntimeError, ValueError) as error:
            raise damaged(self.last, error) from error


def _write_resume(path: Path, model: keras.Model, epoch: int) -> None:
    seeds = [keras.ops.convert_to_numpy(variable) for variable in seed_variables(model)]
    with h5py.File(path, "r+") as file:
        group = file.create_group(_RESUME)
        group.attrs["epoch"] = epoch
        group.create_dataset("seeds", data=np.asarray(seeds, "int64").reshape(-1, 2))
