"""The signatures of an artifact: run on the live model, traced, and described."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import keras
import numpy as np
import tensorflow as tf

from export.protocol import ServingSignature, SignatureTensor
from export.ranks import of_rank
from export.worker.axes import BATCH, Spec, paddable, sizes_of
from export.worker.invariance import NAMES
from export.worker.probes import Tensors, is_text, plain

Function = Callable[..., dict[str, Any]]


@dataclass(frozen=True)
class LiveSignature:
    """A named `ServingSignature`, checked to be consistent.

    Args:
        name: Its name in the artifact.
        parts: Its stages and what goes in and out.

    Raises:
        ValueError: If the parts contradict each other.
    """

    name: str
    parts: ServingSignature

    def __post_init__(self) -> None:
        parts = self.parts
        for specs in (parts.inputs, parts.features):
            for key, spec in specs.items():
                if not isinstance(spec, SignatureTensor):
                    raise self._error(f"'{key}' must have shape, dtype and padding.")
        if parts.preprocess is None and self.inputs != self.features:
            raise self._error("without a preprocess stage, inputs and features must be the same.")
        unknown = set(parts.invariances) - set(NAMES)
        if unknown:
            raise self._error(f"invariances must be among {NAMES}; received {sorted(unknown)}.")
        known = {axis for spec in self.features.values() for axis in spec.axes or ()}
        for key, axes in parts.outputs.items():
            strange = {axis for axis in axes if isinstance(axis, str)} - known
            if strange:
                raise self._error(f"no feature has the axes {sorted(strange)} of output '{key}'.")
        if parts.units.keys() - parts.outputs.keys() or {*parts.units.values()} - {*parts.inputs}:
            raise self._error(f"units must name outputs and inputs; received {dict(parts.units)}.")

    def _error(self, message: str) -> ValueError:
        return ValueError(f"Signature '{self.name}': {message}")

    @property
    def inputs(self) -> dict[str, Spec]:
        """What is known of its inputs."""
        return _specs(self.parts.inputs)

    @property
    def features(self) -> dict[str, Spec]:
        """What is known of the features that `infer` takes."""
        return _specs(self.parts.features)

    @property
    def outputs(self) -> dict[str, Spec]:
        """What is known of its outputs: little, where `postprocess` makes them."""
        finished = self.parts.postprocess is not None
        fill, known = (0, self.parts.results) if finished else (self._fill(), self.parts.outputs)
        return {
            key: Spec(tuple(axes), fill if None in axes else None, unit=self.parts.units.get(key))
            for key, axes in known.items()
        }

    def _fill(self) -> int | None:
        """What outputs of ids are filled with behind their end: what the features' ids are."""
        paddings = {
            spec.padding
            for spec in self.features.values()
            if spec.padding is not None and spec.dtype.startswith(("int", "uint"))
        }
        return paddings.pop() if len(paddings) == 1 else None

    @property
    def paddable(self) -> list[str]:
        """The axes of features that may be padded without a change of the outputs."""
        return paddable(self.features.values()) if "padding" in self.parts.invariances else []

    @property
    def not_applicable(self) -> dict[str, str]:
        """Why it is not said to have an invariance, and an artifact is not held to it."""
        axes = {x for spec in self.features.values() for x in spec.axes or () if isinstance(x, str)}
        lengths = axes - {BATCH}
        reasons = {
            "batch": "the live model's rows depend on each other"
            if BATCH in axes
            else "no input has a dynamic batch axis",
            "padding": "the live model's outputs depend on padding, or nothing may be padded"
            if lengths
            else "no input has a dynamic axis besides the batch",
        }
        return {name: why for name, why in reasons.items() if name not in self.parts.invariances}

    def __call__(self, infer: Function | None = None, **inputs: Any) -> dict[str, Any]:
        """The three stages, one after another.

        Args:
            infer: Takes the place of the second stage.
            **inputs: The inputs.

        Raises:
            ValueError: If the outputs, or their shapes, are not those that are declared.
        """
        parts = self.parts
        given = parts.preprocess(**inputs) if parts.preprocess else inputs
        features = {key: given[key] for key in parts.features}
        outputs = (infer or parts.infer)(**features)
        if not isinstance(outputs, Mapping) or set(outputs) != set(parts.outputs):
            received = sorted(outputs) if isinstance(outputs, Mapping) else type(outputs).__name__
            raise self._error(f"infer must return {sorted(parts.outputs)}; received {received}.")
        if tf.executing_eagerly():  # a graph does not know all sizes
            self._check_shapes(features, outputs)
        return parts.postprocess(dict(outputs), given) if parts.postprocess else dict(outputs)

    def _check_shapes(self, features: Mapping[str, Any], outputs: Mapping[str, Any]) -> None:
        axes = {key: spec.axes or () for key, spec in self.features.items()}
        try:
            sizes = sizes_of(axes, _shapes(features))
            sizes_of(self.parts.outputs, _shapes(outputs), sizes)
        except ValueError as error:
            raise self._error(str(error)) from error

    def run(self, inputs: Tensors) -> Tensors:
        """Calls the live function."""
        return run_live(self, inputs)

    def trace(self, infer: Function | None = None) -> Any:
        """The concrete function of this signature, for any size of its dynamic axes."""

        def outputs(**tensors: tf.Tensor) -> dict[str, tf.Tensor]:
            # An output that is an input or a constant needs an operator to be named after.
            results = self(infer, **{key: of_rank(x) for key, x in tensors.items()})
            return {key: tf.identity(tensor, name=key) for key, tensor in results.items()}

        specs = {
            key: tf.TensorSpec(
                [None if isinstance(axis, str) else axis for axis in spec.axes or ()],
                spec.dtype,
                name=key,
            )
            for key, spec in self.inputs.items()
        }
        return tf.function(outputs, autograph=False).get_concrete_function(**specs)


def run_live(function: Function, inputs: Tensors) -> Tensors:
    """Calls a function of TensorFlow, on the CPU: a GPU rounds its products to fewer bits."""
    with tf.device("/CPU:0"):
        outputs = function(**{key: _tensor(plain(x)) for key, x in inputs.items()})
    return {key: plain(keras.ops.convert_to_numpy(x)) for key, x in outputs.items()}


def _tensor(array: np.ndarray) -> tf.Tensor:
    return tf.constant(array, tf.string) if is_text(array) else tf.constant(array)


def _specs(specs: Mapping[str, SignatureTensor]) -> dict[str, Spec]:
    """Plain data: numbers of NumPy would not go into the manifest."""
    return {
        key: Spec(
            tuple(x.shape),
            None if x.padding is None else np.asarray(x.padding).item(),
            x.dtype,
        )
        for key, x in specs.items()
    }


def _shapes(tensors: Mapping[str, Any]) -> dict[str, tuple[int, ...]]:
    return {key: tuple(tensor.shape) for key, tensor in tensors.items()}
