"""A model traced in float32, whatever precision it was trained in."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

import keras

from keras_attn.functional.time_loop import slice_updates
from keras_attn.low_rank import merged_updates

HALF = ("float16", "bfloat16")
NORMALIZATIONS = (keras.layers.LayerNormalization, keras.layers.RMSNormalization)


@contextmanager
def portable(model: Any, unroll: bool = False) -> Iterator[None]:
    """A context in which the layers of a model compute in float32, without cuDNN, and in place.

    An artifact for other machines can contain neither half precision, which LiteRT's operators do
    not support, nor the cuDNN kernels that Keras's LSTM and GRU choose on a machine with a GPU.
    Low-rank updates are merged into the kernels.

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
        merged = merged_updates(model) if isinstance(model, keras.Model) else nullcontext()
        with merged, slice_updates():
            yield
    finally:
        for owner, name, value in reversed(changed):
            setattr(owner, name, value)


def float_layers(model: Any) -> list[str]:
    """The layers that stay in float32 in a file that computes with integers, as patterns of names.

    These are those that a model names in `float_layers`, since they see the unit of the data, and
    its normalizations: a variance has a wider range than eight bits can resolve, and LiteRT has no
    fast kernels for it in integers.

    Args:
        model: A model.

    Example:
        >>> norm = keras.layers.LayerNormalization(name="norm")
        >>> float_layers(keras.Sequential([keras.layers.Dense(2), norm]))
        ['norm']
    """
    named = list(getattr(model, "float_layers", ()))
    return named + sorted({part.name for part in _parts(model) if isinstance(part, NORMALIZATIONS)})


def _parts(model: Any) -> Iterator[Any]:
    """The model, its layers at every depth, and the operations between them."""
    if not isinstance(model, keras.Model):
        return
    for layer in model._flatten_layers():
        yield layer
        graph = getattr(layer, "operations", ())
        yield from (step for step in graph if not isinstance(step, keras.Layer))
