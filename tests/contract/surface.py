"""What the library exports, found by walking its public API."""

import inspect
from typing import Any

import keras

import keras_attn


def exported() -> dict[str, Any]:
    """Every public name and what it names."""
    return {name: getattr(keras_attn, name) for name in keras_attn.__all__}


def kind(thing: Any) -> str:
    """Which checks apply: layer, loss, metric, function or other."""
    if inspect.isfunction(thing):
        return "function"
    for base, actual in (
        (keras.layers.Layer, "layer"),
        (keras.losses.Loss, "loss"),
        (keras.metrics.Metric, "metric"),
    ):
        if inspect.isclass(thing) and issubclass(thing, base):
            return actual
    return "other"
