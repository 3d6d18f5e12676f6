"""The HDF5 group of a checkpoint beside the weights: progress, random states and metrics.

It is the group `resume` of the weights file.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import h5py
import keras
import numpy as np

from zoo.errors import UserError
from zoo.training.hdf5 import member, open_hdf5
from zoo.training.state import TrainingState
from zoo.training.weights import damaged, seed_variables

_GROUP = "resume"


def write_resume_group(path: Path, model: keras.Model, state: TrainingState) -> None:
    """Adds the group to a weights file."""
    seeds = [keras.ops.convert_to_numpy(variable) for variable in seed_variables(model)]
    with h5py.File(path, "r+") as file:
        group = file.create_group(_GROUP)
        group.attrs["epoch"], group.attrs["step"] = state.epoch, state.step
        metrics = group.create_group("metrics")
        for number, variable in enumerate(model.metrics_variables if state.step else ()):
            metrics[str(number)] = keras.ops.convert_to_numpy(variable)
        group.create_dataset("seeds", data=np.asarray(seeds, "int64").reshape(-1, 2))


def read_progress(path: Path) -> tuple[int, int]:
    """The epoch and the step of the weights; 0 and 0 if there is no file.

    Raises:
        UserError: If the file is damaged.
    """
    if not path.exists():
        return 0, 0
    with _reading(path) as group:
        names = [name for name in ("epoch", "step") if name in group.attrs]
        for name in names or ["epoch"]:
            attribute = group.attrs.get_id(name)
            if attribute.shape != () or attribute.dtype.kind not in "iu":
                raise ValueError(f"/{_GROUP} has no number of an epoch")
        progress = {name: int(group.attrs[name]) for name in names}
        return progress["epoch"], progress.get("step", 0)


def restore_seeds(path: Path, model: keras.Model) -> None:
    """Restores the random states of a model.

    Raises:
        UserError: If the file is damaged, or of another model.
    """
    variables = seed_variables(model)
    with _reading(path) as group:
        seeds = member(group, "seeds", h5py.Dataset)
        if seeds.ndim != 2 or seeds.shape[1] != 2 or seeds.dtype.kind not in "iu":
            raise ValueError(f"{seeds.name} has no random states")
        if len(seeds) != len(variables):
            raise UserError(
                f"{path} has {len(seeds)} random states, but the model has {len(variables)}: "
                "resume with the same model."
            )
        values = np.asarray(seeds)
    for variable, value in zip(variables, values, strict=True):
        variable.assign(value.astype(variable.dtype))


def restore_metrics(path: Path, model: keras.Model) -> None:
    """Restores the metrics of an epoch that was left in its middle.

    Raises:
        UserError: If the file is damaged, or of another model.
    """
    variables = model.metrics_variables
    with _reading(path) as group:
        values = member(group, "metrics", h5py.Group)
        if len(values) != len(variables):
            raise ValueError(f"it has {len(values)} metrics, the model {len(variables)}")
        for number, variable in enumerate(variables):
            value = np.asarray(member(values, str(number), h5py.Dataset))
            if value.shape != tuple(variable.shape) or value.dtype.kind not in "iuf":
                raise ValueError(f"its metric {number} has another shape")
            variable.assign(value.astype(variable.dtype))


@contextmanager
def _reading(path: Path) -> Iterator[h5py.Group]:
    """Opens the group, and reports what is wrong with the file as damage."""
    try:
        with open_hdf5(path) as file:
            yield member(file, _GROUP, h5py.Group)
    except UserError:
        raise
    except (OSError, KeyError, RuntimeError, ValueError) as error:
        raise damaged(path, error) from error
