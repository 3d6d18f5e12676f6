"""Averaging the weights of several checkpoints."""

from collections.abc import Sequence
from pathlib import Path

import keras
import numpy as np

from zoo.training.weights import load_weights


def load_average(model: keras.Model, paths: Sequence[Path]) -> None:
    """Loads the mean of the weights in several files into the model.

    Source: Vaswani et al. 2017, section 6.1, who average the last 5 or 20 checkpoints; Polyak and
        Juditsky 1992 for averaging iterates.
    Formula: `w = (w_1 + ... + w_n) / n`, in float64; weights that are not floating point
        (counters, flags) are those of the first file

    Args:
        model: A built model.
        paths: Weights files of this model, at least one.

    Raises:
        ValueError: If `paths` is empty.
        UserError: If a file is missing, is damaged, or belongs to another model.
    """
    if not paths:
        raise ValueError("`paths` must have at least one weights file, got none.")
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
