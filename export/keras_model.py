"""The one signature of a bare Keras model, whose axes and invariances are found by trying."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import keras
import numpy as np

from export.graph_axes import graph_axes, may_be_padded
from export.model_probes import ModelTensor, is_integer, model_probes, output_axes
from export.signatures import Function, LiveSignature, run_live
from export.worker import invariance
from export.worker.axes import BATCH
from export.worker.probes import Probe

NAME = "serving_default"


@dataclass(frozen=True)
class ModelSignature:
    """A `ServingSignature` of one stage."""

    inputs: Mapping[str, ModelTensor]
    infer: Callable[..., dict[str, Any]]
    outputs: Mapping[str, tuple[int | str | None, ...]]
    invariances: tuple[str, ...] = ()
    preprocess: None = None
    postprocess: None = None
    results: Mapping[str, tuple[int | str | None, ...]] = field(default_factory=dict)
    tables: tuple[()] = ()
    purpose: str = "Calls the model."
    meanings: Mapping[str, str] = field(default_factory=dict)
    units: Mapping[str, str] = field(default_factory=dict)
    follows: str = ""

    @property
    def features(self) -> Mapping[str, ModelTensor]:
        """The inputs: nothing stands between them and the model."""
        return self.inputs


def read_model(model: keras.Model, tolerance: float) -> tuple[LiveSignature, list[Probe]]:
    """The signature `serving_default` of a model, and its answered probes.

    An unknown first axis of an input is "batch"; each other unknown axis has a name of its own,
    such as "token_ids_1". No shape tells which of them are lengths of padded sequences and which
    count pixels. Therefore only integers and masks of unknown length, (None, None) or (1, None),
    are candidates. They may be padded if, on every probe, the live model gives the same outputs
    with 0 and False at the end of all of them. The axes of graphs are those of
    `export.graph_axes`; nodes are candidates, and edges that have a mask.

    Args:
        model: A functional model, or one that was called on `keras.Input`.
        tolerance: The greatest error at which an invariance holds.

    Raises:
        ValueError: If the model does not know its inputs, or has a stateful layer.
    """
    check_stateless(model)
    inputs, infer = model_inputs(model), _by_name(model)
    probes = [Probe(x, run_live(infer, x)) for x in model_probes(model, inputs)]
    parts = ModelSignature(inputs, infer, output_axes(inputs, probes))
    held = _held(LiveSignature(NAME, parts), probes, tolerance)
    if "padding" not in held:
        inputs = {name: replace(spec, padding=None) for name, spec in inputs.items()}
    return LiveSignature(NAME, replace(parts, inputs=inputs, invariances=held)), probes


def check_stateless(model: keras.Model) -> None:
    """Refuses a model with a stateful layer.

    Raises:
        ValueError: If a layer carries its states from one call to the next.

    Example:
        >>> layer = keras.layers.GRU(2, stateful=True, name="carrying")
        >>> check_stateless(keras.Sequential([keras.Input(batch_shape=(3, 5, 7)), layer]))
        Traceback (most recent call last):
        ValueError: Layer 'carrying' is stateful: its outputs depend on the calls before, while an \
artifact answers each call alone. Export the model with stateful=False; states may be inputs and \
outputs of it, by initial_state and return_state.
    """
    for layer in model._flatten_layers():
        if getattr(layer, "stateful", False):  # only recurrent layers have the attribute
            raise ValueError(
                f"Layer '{layer.name}' is stateful: its outputs depend on the calls before, while "
                "an artifact answers each call alone. Export the model with stateful=False; "
                "states may be inputs and outputs of it, by initial_state and return_state."
            )


def model_inputs(model: keras.Model) -> dict[str, ModelTensor]:
    """The inputs of a model; one without a name is `input_0`, `input_1`, ...

    Padding is what a candidate would be padded with.
    """
    if not getattr(model, "inputs", None):
        raise ValueError(
            f"Model '{model.name}' does not know its inputs: export a functional model, "
            "or one that was called on keras.Input."
        )
    tensors = {
        f"input_{index}" if tensor.name.startswith("keras_tensor") else tensor.name: tensor
        for index, tensor in enumerate(keras.tree.flatten(_structure(model)))
    }
    shapes = {name: tuple(tensor.shape) for name, tensor in tensors.items()}
    graph = graph_axes(shapes, {name: tensor.dtype for name, tensor in tensors.items()})
    inputs = {}
    for name, tensor in tensors.items():
        zero = np.zeros((), tensor.dtype).item()
        if graph:
            axes, padding = graph[name], zero if may_be_padded(name, tensors) else None
        else:
            axes = tuple(
                size if size is not None else f"{name}_{axis}" if axis else BATCH
                for axis, size in enumerate(shapes[name])
            )
            sequences = shapes[name] in ((None, None), (1, None)) and (
                is_integer(tensor.dtype) or tensor.dtype == "bool"
            )
            padding = zero if sequences else None
        inputs[name] = ModelTensor(axes, tensor.dtype, padding, values=_values(model, tensor))
    return inputs


def _values(model: keras.Model, tensor: Any) -> tuple[int, int] | None:
    """The least and the greatest id of an input that an embedding takes as it is."""
    sizes = [
        layer.input_dim
        for layer in model._flatten_layers(include_self=False)
        if isinstance(layer, keras.layers.Embedding)
        for node in layer._inbound_nodes
        if any(each is tensor for each in node.input_tensors)
    ]
    return (0, min(sizes) - 1) if sizes else None


def _structure(model: keras.Model) -> Any:
    return getattr(getattr(model, "_functional", model), "_inputs_struct", model.inputs)


def _by_name(model: keras.Model) -> Function:
    """The model as a function of named inputs; an output without a name is `output_0`, ..."""
    names = list(model_inputs(model))

    def infer(**inputs: Any) -> dict[str, Any]:
        packed = keras.tree.pack_sequence_as(_structure(model), [inputs[name] for name in names])
        outputs = model(packed, training=False)
        if isinstance(outputs, Mapping):
            return dict(outputs)
        several = keras.tree.flatten(outputs)
        return {f"output_{index}": tensor for index, tensor in enumerate(several)}

    return infer


def _held(signature: LiveSignature, probes: list[Probe], tolerance: float) -> tuple[str, ...]:
    """The invariances that the live model has: its artifact must have them too, and no others."""

    def measured(name: str) -> list[invariance.Distance]:
        inputs, outputs = signature.inputs, signature.outputs
        distances = [
            invariance.measure(name, signature.run, probe, inputs, outputs) for probe in probes
        ]
        return [distance for distance in distances if distance is not None]

    def held(name: str) -> bool:
        try:
            distances = measured(name)
        except Exception:  # whatever the model raises for a row or a length that it does not take
            return False
        return bool(distances) and all(x.error <= tolerance and x.agreement == 1 for x in distances)

    return tuple(name for name in invariance.NAMES if held(name))
