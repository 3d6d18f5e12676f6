"""The mean of several checkpoints' weights."""

from collections.abc import Sequence
from pathlib import Path

import keras
import numpy as np

from zoo.training.weights import load_weights


def load_average(model: keras.Model, paths: Sequence[Path]) -> None:
    """Gives the model the mean of the weights in several files.

    Source: Vaswani et al. 2017, section 6.1, who average the last 5 or 20 checkpoints; Polyak and
    Juditsky 1992 for averaging iterates.

    Formula: `w = (w_1 + ... + w_n) / n`, in float64; weights that are no real numbers (counters,
    flags) are the first file's.

    Args:
        model: A built model.
        paths: Weights files of this model, one at least.

    Raises:
        ValueError: if there is no file.
        UserError: if a file is missing, damaged, or of another model.
    """
    if not paths:
        raise ValueError("`paths` must name one weights file at least, got none.")
    means: list[np.ndarray] = []
    for path in paths:
        load_weights(model, path)
        weights = [keras.ops.convert_to_numpy(weight) for weight in model.weights]
        if not means:
            means = [np.zeros(w.shape, "float64") if _is_real(w) else w for w in weights]
        for mean, weight in zip(means, weights, strict=True):
            if _is_real(weight):
                mean += np.asarray(weight, "float64") / len(paths)
    for variable, mean in zip(model.weights, means, strict=True):
        variable.assign(keras.ops.cast(mean, variable.dtype))


def _is_real(weight: np.ndarray) -> bool:
    return keras.backend.is_float_dtype(keras.backend.standardize_dtype(weight.dtype))
