"""The one signature of a bare Keras model, and inputs to verify it with."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import keras
import numpy as np

from export.signatures import Signature
from export.worker import invariance
from export.worker.probes import Probe, Tensors

# Distinct primes: a swapped axis shows. The last batch is a single row.
BATCHES_AND_LENGTHS = ((3, 5), (2, 11), (1, 7))


def model_signature(model: keras.Model) -> Signature:
    """`serving_default`: the inputs by name -> the outputs by name.

    What has no name is `input_0`, `input_1`, … and `output_0`, `output_1`, …

    Raises:
        ValueError: the model does not say what its inputs are.
    """
    if not getattr(model, "inputs", None):
        raise ValueError(
            f"Model '{model.name}' does not know its inputs: export a functional model, "
            "or one that was called on keras.Input."
        )
    struct = getattr(getattr(model, "_functional", model), "_inputs_struct", model.inputs)
    tensors = keras.tree.flatten(struct)
    names = [
        f"input_{place}" if x.name.startswith("keras_tensor") else x.name
        for place, x in enumerate(tensors)
    ]

    def function(**inputs: Any) -> dict[str, Any]:
        packed = keras.tree.pack_sequence_as(struct, [inputs[name] for name in names])
        outputs = model(packed, training=False)
        if isinstance(outputs, Mapping):
            return dict(outputs)
        several = keras.tree.flatten(outputs)
        return {f"output_{place}": tensor for place, tensor in enumerate(several)}

    inputs = {name: (tuple(x.shape), x.dtype) for name, x in zip(names, tensors, strict=True)}
    return Signature("serving_default", function, inputs)


def model_probes(model: keras.Model, signature: Signature, seed: int = 7) -> list[Tensors]:
    """Random inputs for a model, several batch sizes and lengths.

    Integers stay below the smallest embedding table; inputs named `source_…` and `target_…` differ
    in length; a mask is a run of True with its end at a different place in every row.
    """
    random = np.random.default_rng(seed)
    tables = [layer.input_dim for layer in _layers(model) if hasattr(layer, "input_dim")]
    highest = min(tables, default=2)

    def probe(batch: int, length: int) -> Tensors:
        inputs = {}
        for name, (shape, dtype) in signature.inputs.items():
            along = length + 2 if name.startswith("target") else length
            sizes = (batch, *(along if size is None else size for size in shape[1:]))
            if dtype == "bool":
                ends = random.integers(1, sizes[-1] + 1, size=sizes[:-1])
                array: np.ndarray = np.arange(sizes[-1]) < ends[..., None]
            elif dtype.startswith(("int", "uint")):
                array = random.integers(min(1, highest - 1), highest, size=sizes)
            else:
                array = random.normal(size=sizes)
            inputs[name] = array.astype(dtype)
        return inputs

    return [probe(batch, length) for batch, length in BATCHES_AND_LENGTHS]


def invariances_held(
    signature: Signature, probes: list[Probe], tolerance: float
) -> tuple[str, ...]:
    """The invariances that the live model has: its artifact must have them too, and no others."""
    inputs = {name: {"shape": list(shape)} for name, (shape, _) in signature.inputs.items()}

    def held(name: str) -> bool:
        try:
            found = [invariance.measure(name, signature.run, probe, inputs) for probe in probes]
        except Exception:  # a row or a width that the model does not take
            return False
        measured = [apart for apart in found if apart is not None]
        return bool(measured) and all(
            apart.error <= tolerance and apart.agreement == 1 for apart in measured
        )

    return tuple(name for name in invariance.NAMES if held(name))


def _layers(model: keras.Model) -> Iterator[Any]:
    return iter(model._flatten_layers(include_self=False))
