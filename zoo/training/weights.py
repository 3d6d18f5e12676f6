"""Weights files: written atomically, and read with helpful errors."""

import math
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path

import h5py
import keras
import numpy as np

from zoo.atomic import replacing
from zoo.errors import UserError, reason_of
from zoo.training.hdf5 import check_plain
from zoo.training.hosts import alone
from zoo.training.seal import is_intact, seal


def save_weights(model: keras.Model, path: Path | str) -> None:
    """Writes the weights of a model, without the optimizer's, to a file, atomically.

    Keras includes the optimizer of a compiled model in its weights files, which makes them three
    times as large with Adam.

    Args:
        model: A built model.
        path: A file name that ends in `.weights.h5`.

    Raises:
        UserError: If the disk is full.
    """
    with (
        replacing(Path(path), file_size(model.weights)) as partial,
        _without_optimizer(model),
        alone(),
    ):
        model.save_weights(partial)
        seal(partial)


def copy_weights(source: Path, path: Path, size: int = 0) -> None:
    """Writes what `save_weights` would, from a file that also has the optimizer's variables.

    Keras takes most of the time of saving a small model to walk through its layers.

    Args:
        source: A weights file of Keras.
        path: The file to write.
        size: Required disk space in bytes; see `file_size`.

    Raises:
        UserError: If the disk is full.
    """
    with replacing(path, size) as partial:
        with h5py.File(source, "r") as whole, h5py.File(partial, "w") as weights:
            for name in whole:
                if name != "optimizer":
                    whole.copy(name, weights)
        seal(partial)


def load_weights(
    model: keras.Model, path: Path | str, optimizer: bool = False, check_digest: bool = True
) -> None:
    """Loads a weights file into a model; any mismatch is an error.

    Args:
        model: A built model.
        path: A file name that ends in `.weights.h5`.
        optimizer: Whether to load the variables of the optimizer too; it must be built.
        check_digest: Whether to compare the weights with the digest in the file, if it has one.

    Raises:
        UserError: If the file is missing, is damaged, refers to other files, belongs to another
            model, or has weights that are not finite.
    """
    path = Path(path)
    if not path.exists():
        raise UserError(f"{path} is missing: restore it from a backup, or train again.")
    try:
        check_plain(path)
        if check_digest and not is_intact(path):
            raise OSError("its weights are not those that were saved")
    except (OSError, RuntimeError, KeyError, ValueError) as error:  # not of another model
        raise damaged(path, error) from error
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("error", message="Skipping variable loading")
            with alone(), nullcontext() if optimizer else _without_optimizer(model):
                model.load_weights(path)
    except (OSError, RuntimeError) as error:
        raise damaged(path, error) from error
    except (ValueError, KeyError, UserWarning) as error:
        paragraphs = str(error).split("\n\n")  # Keras: a count, one example, the whole list
        reason = " ".join(paragraphs[1 if len(paragraphs) > 2 else 0].split())
        raise UserError(f"{path} does not fit this model: {reason}") from error
    check_finite(model, path)


def check_finite(model: keras.Model, source: Path | str) -> None:
    """Checks that no weight of a model is NaN or infinite.

    Args:
        model: A built model.
        source: Where its weights come from, for the message.

    Raises:
        UserError: If there is such a weight.
    """
    for weight in model.weights:
        if keras.backend.is_float_dtype(keras.backend.standardize_dtype(weight.dtype)):
            values = np.asarray(keras.ops.convert_to_numpy(weight), "float32")
            if not np.isfinite(values).all():
                raise UserError(
                    f"{source}: the weight {weight.path} has values that are NaN or infinite: "
                    "restore the file from a backup, or train again."
                )


@contextmanager
def _without_optimizer(model: keras.Model) -> Iterator[None]:
    optimizer = getattr(model, "optimizer", None)
    model.optimizer = None
    try:
        yield
    finally:
        model.optimizer = optimizer


def file_size(variables: Sequence[keras.Variable]) -> int:
    """Estimates the size in bytes of a file with these variables, erring on the high side."""
    return 2**20 + int(4.2 * sum(math.prod(variable.shape) for variable in variables))


def seed_variables(model: keras.Model) -> list[keras.Variable]:
    """Returns the states of the model's random generators, in the order of its layers.

    Keras includes them in `variables` but not in `weights`, and saves only the latter.
    """
    weights = {id(weight) for weight in model.weights}
    return [
        variable
        for variable in model.variables
        if id(variable) not in weights and variable.name == "seed_generator_state"
    ]


def damaged(path: Path, error: Exception) -> UserError:
    """Returns the error for a file whose contents cannot be read."""
    return UserError(
        f"{path} is damaged ({reason_of(error)}): restore it from a backup, or use a new folder."
    )
