"""The one signature of a bare Keras model, whose axes and invariances are found by trying."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import keras
import numpy as np

from export.signatures import Function, Signature, run_live
from export.worker import invariance
from export.worker.axes import BATCH, sizes_of
from export.worker.probes import Probe, Tensors

NAME = "serving_default"
# Distinct primes: a swapped axis shows. The last batch is a single row.
BATCHES_AND_LENGTHS = ((3, 5), (2, 11), (1, 7))


@dataclass(frozen=True)
class ModelTensor:
    """A `TensorSpec`."""

    shape: tuple[int | str, ...]
    dtype: str
    padding: int | float | bool | None = None


@dataclass(frozen=True)
class ModelSignature:
    """A `ServingSignature` of one stage."""

    inputs: Mapping[str, ModelTensor]
    infer: Callable[..., dict[str, Any]]
    outputs: Mapping[str, tuple[int | str | None, ...]]
    invariances: tuple[str, ...] = ()
    preprocess: None = None
    postprocess: None = None
    tables: tuple[()] = ()

    @property
    def features(self) -> Mapping[str, ModelTensor]:
        """The inputs: nothing stands between them and the model."""
        return self.inputs


def read_model(model: keras.Model, tolerance: float) -> tuple[Signature, list[Probe]]:
    """The signature `serving_default` of a model, and its answered probes.

    An unknown first axis of an input is "batch"; each other unknown axis has a name of its own,
    such as "token_ids_1". No shape tells which of them are lengths of padded sequences and which
    count edges or pixels. Therefore only integers and masks of unknown batch and length,
    (None, None), are candidates. They may be padded if, on every probe, the live model gives the
    same outputs with 0 and False at the end of all of them.

    Args:
        model: A functional model, or one that was called on `keras.Input`.
        tolerance: The greatest error at which an invariance holds.

    Raises:
        ValueError: If the model does not know its inputs.
    """
    inputs, infer = model_inputs(model), _by_name(model)
    probes = [Probe(x, run_live(infer, x)) for x in model_probes(model, inputs)]
    parts = ModelSignature(inputs, infer, output_axes(inputs, probes))
    held = _held(Signature(NAME, parts), probes, tolerance)
    if "padding" not in held:
        inputs = {name: replace(spec, padding=None) for name, spec in inputs.items()}
    return Signature(NAME, replace(parts, inputs=inputs, invariances=held)), probes


def model_inputs(model: keras.Model) -> dict[str, ModelTensor]:
    """The inputs of a model; one without a name is `input_0`, `input_1`, ...

    Padding is what a candidate would be padded with.
    """
    if not getattr(model, "inputs", None):
        raise ValueError(
            f"Model '{model.name}' does not know its inputs: export a functional model, "
            "or one that was called on keras.Input."
        )
    found = {}
    for place, tensor in enumerate(keras.tree.flatten(_structure(model))):
        name = f"input_{place}" if tensor.name.startswith("keras_tensor") else tensor.name
        shape = tuple(
            size if size is not None else f"{name}_{axis}" if axis else BATCH
            for axis, size in enumerate(tensor.shape)
        )
        padding = None
        if tuple(tensor.shape) == (None, None) and _is_integer(tensor.dtype):
            padding = 0
        elif tuple(tensor.shape) == (None, None) and tensor.dtype == "bool":
            padding = False
        found[name] = ModelTensor(shape, tensor.dtype, padding)
    return found


def _structure(model: keras.Model) -> Any:
    return getattr(getattr(model, "_functional", model), "_inputs_struct", model.inputs)


def _is_integer(dtype: str) -> bool:
    return dtype.startswith(("int", "uint"))


def _by_name(model: keras.Model) -> Function:
    """The model as a function of named inputs; an output without a name is `output_0`, ..."""
    names = list(model_inputs(model))

    def infer(**inputs: Any) -> dict[str, Any]:
        packed = keras.tree.pack_sequence_as(_structure(model), [inputs[name] for name in names])
        outputs = model(packed, training=False)
        if isinstance(outputs, Mapping):
            return dict(outputs)
        several = keras.tree.flatten(outputs)
        return {f"output_{place}": tensor for place, tensor in enumerate(several)}

    return infer


def model_probes(
    model: keras.Model, inputs: Mapping[str, ModelTensor], seed: int = 7
) -> list[Tensors]:
    """Random inputs of several batch sizes and lengths.

    Inputs named `target...` are longer than the others; a mask is a run of True that ends at a
    different place in every row. Integers are valid everywhere: with a batch they stay below the
    size of the smallest embedding table; those of a model without one, and those without a batch
    such as edges (2, E), are numbers of rows.

    Args:
        model: The model.
        inputs: Its inputs.
        seed: Seed of the random numbers.
    """
    random = np.random.default_rng(seed)
    layers = model._flatten_layers(include_self=False)
    tables = [layer.input_dim for layer in layers if hasattr(layer, "input_dim")]

    def probe(batch: int, length: int) -> Tensors:
        arrays = {}
        for name, spec in inputs.items():
            along = length + 2 if name.startswith("target") else length
            sizes = [
                axis if isinstance(axis, int) else batch if axis == BATCH else along
                for axis in spec.shape
            ]
            if spec.dtype == "bool":
                ends = random.integers(1, sizes[-1] + 1, size=sizes[:-1])
                array: np.ndarray = np.arange(sizes[-1]) < ends[..., None]
            elif _is_integer(spec.dtype):
                entries = tables and spec.shape[0] == BATCH
                highest = min(tables) if entries else batch
                array = random.integers(min(1, highest - 1) if entries else 0, highest, size=sizes)
            else:
                array = random.normal(size=sizes)
            arrays[name] = array.astype(spec.dtype)
        return arrays

    return [probe(batch, length) for batch, length in BATCHES_AND_LENGTHS]


def output_axes(
    inputs: Mapping[str, ModelTensor], probes: Sequence[Probe]
) -> dict[str, tuple[int | str | None, ...]]:
    """The axes of each output, from its sizes in all probes: the input axis of the same sizes, of
    several the one in the same place; a number where the size is always the same; or else None."""
    axes = {name: spec.shape for name, spec in inputs.items()}
    places = {axis: place for shape in axes.values() for place, axis in enumerate(shape)}
    known = [
        sizes_of(axes, {name: x.shape for name, x in probe.inputs.items()}) for probe in probes
    ]

    def axis_of(place: int, sizes: list[int]) -> int | str | None:
        same = [axis for axis in known[0] if [each[axis] for each in known] == sizes]
        if same:
            return min(same, key=lambda axis: places[axis] != place)
        return sizes[0] if len(set(sizes)) == 1 else None

    found = {}
    for name in probes[0].outputs:
        shapes = [probe.outputs[name].shape for probe in probes]
        columns = enumerate(zip(*shapes, strict=True))
        found[name] = tuple(axis_of(place, list(sizes)) for place, sizes in columns)
    return found


def _held(signature: Signature, probes: list[Probe], tolerance: float) -> tuple[str, ...]:
    """The invariances that the live model has: its artifact must have them too, and no others."""

    def measured(name: str) -> list[invariance.Distance]:
        inputs, outputs = signature.inputs, signature.outputs
        found = [
            invariance.measure(name, signature.run, probe, inputs, outputs) for probe in probes
        ]
        return [distance for distance in found if distance is not None]

    def held(name: str) -> bool:
        try:
            found = measured(name)
        except Exception:  # whatever the model raises for a row or a length that it does not take
            return False
        return bool(found) and all(x.error <= tolerance and x.agreement == 1 for x in found)

    return tuple(name for name in invariance.NAMES if held(name))
