"""The selection of the final weights of a training run."""

from collections.abc import Sequence
from pathlib import Path

import keras
import numpy as np

from zoo.training.data import TrainingData
from zoo.training.low_rank import trained_part
from zoo.training.run_files import RunFiles
from zoo.training.state import LOSS, TrainingState
from zoo.training.weights import load_weights, save_weights


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


def load_best(model: keras.Model, files: RunFiles, state: TrainingState) -> None:
    """Loads the weights of the best epoch; without one, the model keeps its current weights.

    Without a monitored metric, the last epoch is the best.
    """
    if state.best_epoch:
        load_weights(trained_part(model), files.checkpoints.best)
        which = "last" if state.monitor is None else "best"
        files.log(f"loaded the weights of the {which} epoch, {state.best_epoch}")
    else:
        files.log("kept the latest weights: no epoch was evaluated")


def load_average_if_good(
    model: keras.Model, files: RunFiles, state: TrainingState, data: TrainingData
) -> float | None:
    """Loads the mean weights of the kept checkpoints if they are as good as the best epoch's.

    Args:
        model: The trained model, with the weights of the best epoch.
        files: Files of the run.
        state: State of the run.
        data: Data of the run.

    Returns:
        The monitored value of the mean weights, or None if the weights of the best epoch are kept.
    """
    log, checkpoints = files.log, files.checkpoints
    if len(state.kept) < 2:
        log("no weights averaged: fewer than two epochs were evaluated")
        return None
    load_average(trained_part(model), checkpoints.kept(state))
    metrics = _measure(model, state.monitor or "", data)
    value = metrics.get(state.monitor or "")
    epochs = ", ".join(str(epoch) for epoch in sorted(epoch for _, epoch in state.kept))
    mean = f"mean weights of epochs {epochs}"
    if value is not None and state.at_least_as_good(value, metrics.get(LOSS)):
        if checkpoints.writes:
            save_weights(trained_part(model), checkpoints.averaged)
        log(f"{mean} used: {state.monitor} {value:.4g}, best epoch {state.best_value:.4g}")
        return value
    load_weights(trained_part(model), checkpoints.best)
    reason = "not available" if value is None else f"{value:.4g}"
    log(f"{mean} not used: {state.monitor} {reason}, best epoch {state.best_value:.4g}")
    return None


def _measure(model: keras.Model, monitor: str, data: TrainingData) -> dict[str, float]:
    """The metrics of a model on the validation data, by their names in the history."""
    metrics: dict[str, float] = {}
    if data.validation is not None and monitor.startswith("val_"):
        logs = model.evaluate(data.validation, verbose=0, return_dict=True)
        metrics = {f"val_{name}": float(value) for name, value in logs.items()}
    if data.evaluate is not None and monitor not in metrics:
        metrics |= {
            name: float(value) for name, value in data.evaluate(model, lambda: None).items()
        }
    return metrics
