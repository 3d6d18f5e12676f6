"""Which weights a model has when its training is over."""

from collections.abc import Callable
from typing import Any

import keras

from zoo.training.averaging import load_average
from zoo.training.checkpoint import Checkpoints
from zoo.training.run_log import RunLog
from zoo.training.state import TrainingState
from zoo.training.weights import load_weights, save_weights


def load_best(
    model: keras.Model, checkpoints: Checkpoints, state: TrainingState, log: RunLog
) -> None:
    """Gives the model the best epoch's weights; where there is none it keeps its own."""
    if state.best_epoch:
        load_weights(model, checkpoints.best)
        log(f"the model has the weights of epoch {state.best_epoch}")
    else:
        log("the model keeps its newest weights: no epoch has been found the best")


def load_average_if_good(
    model: keras.Model,
    checkpoints: Checkpoints,
    state: TrainingState,
    validation: Any,
    evaluate: Callable[[keras.Model], dict[str, float]] | None,
    log: RunLog,
) -> float | None:
    """Gives the model the mean of the kept checkpoints if it is at least as good as the best.

    Args:
        model: The trained model, with its best weights.
        checkpoints: The run's checkpoints.
        state: The run's state.
        validation: The data that `val_` numbers are measured on, or None.
        evaluate: The function that other numbers come from, or None.
        log: Where to say what came out.

    Outputs: the watched value of the mean; None if the model has its best weights still.
    """
    if len(state.kept) < 2:
        log("not averaged: fewer than two epochs have a value to choose them by")
        return None
    load_average(model, checkpoints.kept(state))
    value = _measure(model, state.monitor or "", validation, evaluate)
    epochs = ", ".join(str(epoch) for epoch in sorted(epoch for _, epoch in state.kept))
    mean = f"the mean of the weights of epochs {epochs}"
    if value is not None and state.at_least_as_good(value):
        save_weights(model, checkpoints.averaged)
        log(f"{mean} is used: {state.monitor} {value:.4g}, the best epoch's {state.best_value:.4g}")
        return value
    load_weights(model, checkpoints.best)
    reason = "cannot be measured" if value is None else f"{value:.4g}"
    log(f"{mean} is not used: {state.monitor} {reason}, the best epoch's {state.best_value:.4g}")
    return None


def _measure(
    model: keras.Model,
    monitor: str,
    validation: Any,
    evaluate: Callable[[keras.Model], dict[str, float]] | None,
) -> float | None:
    if validation is not None and monitor.startswith("val_"):
        logs = model.evaluate(validation, verbose=0, return_dict=True)
        if monitor.removeprefix("val_") in logs:
            return float(logs[monitor.removeprefix("val_")])
    if evaluate is not None:
        value = evaluate(model).get(monitor)
        return None if value is None else float(value)
    return None
