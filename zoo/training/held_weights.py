"""Weights in memory that are to be written to files later."""

from collections.abc import Callable, Sequence
from pathlib import Path

import keras
import numpy as np

from zoo.training.weights import save_weights


class HeldWeights:
    """Copies of the weights of a model, each with the file that it is to be written to.

    Example:
        >>> model = keras.Sequential([keras.Input((1,)), keras.layers.Dense(1, use_bias=False)])
        >>> held, path = HeldWeights(), getfixture("tmp_path") / "best.weights.h5"
        >>> model.set_weights([np.array([[2.0]])])
        >>> held.hold(model, path)
        >>> model.set_weights([np.array([[3.0]])])
        >>> held.write(model)
        >>> path.exists(), float(model.get_weights()[0][0, 0])
        (True, 2.0)
    """

    def __init__(self) -> None:
        self._held: dict[Path, list[np.ndarray]] = {}

    def __bool__(self) -> bool:
        return bool(self._held)

    def hold(self, model: keras.Model, path: Path) -> None:
        """Copies the weights of a model, in place of those before for the same file."""
        self._held[path] = copied(model)

    def keep(self, wanted: Callable[[Path], bool]) -> None:
        """Forgets the weights for other files than those wanted."""
        self._held = {path: held for path, held in self._held.items() if wanted(path)}

    def write(self, model: keras.Model) -> None:
        """Writes all files, which leaves the model with other weights.

        Raises:
            UserError: If the disk is full.
        """
        for path in list(self._held):
            assign(model, self._held[path])
            save_weights(model, path)
            del self._held[path]


def copied(model: keras.Model) -> list[np.ndarray]:
    """Copies of the weights of a model."""
    return [np.array(keras.ops.convert_to_numpy(weight)) for weight in model.weights]


def assign(model: keras.Model, values: Sequence[np.ndarray]) -> None:
    """Sets the weights of a model to values in their order."""
    for weight, value in zip(model.weights, values, strict=True):
        weight.assign(value)
