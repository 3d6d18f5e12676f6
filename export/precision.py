"""Compute in float32 while a model is traced, whatever it was trained in."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import keras

HALF = ("float16", "bfloat16")


@contextmanager
def portable(model: Any) -> Iterator[None]:
    """Layers compute in float32 and outside cuDNN inside this context, and as before after it.

    An artifact meant for other machines can hold neither half precision, which LiteRT's operators
    lack, nor the cuDNN kernels that Keras's LSTM and GRU choose where a GPU is present.
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
        yield
    finally:
        for owner, name, value in reversed(changed):
            setattr(owner, name, value)


def _parts(model: Any) -> Iterator[Any]:
    """The model, its layers at any depth, and the operations between them."""
    if not isinstance(model, keras.Model):
        return
    for layer in model._flatten_layers():
        yield layer
        graph = getattr(layer, "operations", ())
        yield from (step for step in graph if not isinstance(step, keras.Layer))
