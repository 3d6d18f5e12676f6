"""Trace a model in float32, whatever precision it was trained in."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import keras

HALF = ("float16", "bfloat16")


@contextmanager
def portable(model: Any, unroll: bool = False) -> Iterator[None]:
    """A context in which the layers of a model compute in float32 and without cuDNN.

    An artifact for other machines can contain neither half precision, which LiteRT's operators do
    not support, nor the cuDNN kernels that Keras's LSTM and GRU choose on a machine with a GPU.

    Args:
        model: A model; anything else is left alone.
        unroll: Whether recurrent layers have no loops, where the length is known.

    Example:
        >>> model = keras.Sequential([keras.layers.Dense(2, dtype="mixed_float16")])
        >>> with portable(model):
        ...     model.layers[0].compute_dtype
        'float32'
        >>> model.layers[0].compute_dtype
        'float16'
    """
    changed: list[tuple[Any, str, Any]] = []

    def change(owner: Any, name: str, value: Any) -> None:
        changed.append((owner, name, getattr(owner, name)))
        setattr(owner, name, value)

    try:
        for part in _parts(model):
            if getattr(part, "compute_dtype", None) in HALF:
                change(part, "dtype_policy", keras.DTypePolicy("float32"))
            elif not isinstance(part, keras.Layer) and getattr(part, "dtype", None) in HALF:
                change(part, "dtype", "float32")  # a cast in a functional graph
            if hasattr(part, "use_cudnn"):
                change(part, "use_cudnn", False)
            if unroll and hasattr(part, "unroll"):
                change(part, "unroll", True)
        yield
    finally:
        for owner, name, value in reversed(changed):
            setattr(owner, name, value)


def _parts(model: Any) -> Iterator[Any]:
    """The model, its layers at every depth, and the operations between them."""
    if not isinstance(model, keras.Model):
        return
    for layer in model._flatten_layers():
        yield layer
        graph = getattr(layer, "operations", ())
        yield from (step for step in graph if not isinstance(step, keras.Layer))
