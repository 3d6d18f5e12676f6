"""Fixed sizes of all inputs, for runtimes that take no others: GPUs, NPUs and browsers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import tensorflow as tf

from export.graph_axes import EDGES
from export.model_probes import ModelTensor
from export.protocol import values_of
from export.signatures import LiveSignature
from export.worker.axes import BATCH, Spec

BYTES = 8  # of a text by default, for each token; Latin text has about 4
SIZE = "_size"  # the end of the name of an axis of the bytes of a text


@dataclass(frozen=True)
class FixedSizes:
    """The sizes that every dynamic axis gets.

    Args:
        batch: The size of the axis "batch".
        length: The size of every other dynamic axis; None if there is none.
        text_size: The size of the axes "..._size": the number of bytes of a text. Defaults to 8
            times the length.
        larger: Larger sizes of axes by name, such as the number of windows of a text.

    Raises:
        ValueError: If a size is not a positive integer.
    """

    batch: int
    length: int | None = None
    text_size: int | None = None
    larger: Mapping[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, size in self.facts().items():
            if size is not None and (type(size) is not int or size < 1):
                raise ValueError(f"{name} must be a positive integer; received {size!r}.")

    def facts(self) -> dict[str, int | None]:
        """The sizes that were asked for, for the manifest."""
        return {"batch": self.batch, "length": self.length, "text_size": self.text_size}

    def size(self, axis: int | str | None) -> Any:
        """The size of an axis."""
        if not isinstance(axis, str):
            return axis
        if axis == BATCH:
            return self.batch
        if axis.endswith(SIZE):
            return self.text_size or BYTES * (self.length or 1)
        return self.larger.get(axis, self.length)

    def check(self, signature: LiveSignature) -> None:
        """Raises a ValueError if these sizes do not fix all inputs of a signature."""
        axes = [axis for spec in signature.inputs.values() for axis in spec.axes or ()]
        dynamic = dict.fromkeys(axis for axis in axes if isinstance(axis, str) and axis != BATCH)
        if any(spec.dtype == "string" for spec in signature.inputs.values()):
            raise ValueError('batch and length need text=None or "bytes": strings have no size.')
        if EDGES in dynamic:
            raise ValueError(
                "Graphs have more sizes than batch and length: fix them in keras.Input."
            )
        if dynamic and self.length is None:
            raise ValueError(f"length must be given: it is the size of {', '.join(dynamic)}.")
        follows = signature.parts.follows  # its inputs have the sizes of what it follows
        if self.length is not None and not dynamic and self.length not in axes and not follows:
            raise ValueError(
                f"length={self.length}: no input has a dynamic axis besides the batch."
            )
        firsts = [spec.axes[0] for spec in signature.inputs.values() if spec.axes]
        if firsts and BATCH not in firsts and self.batch not in firsts:
            raise ValueError(f"batch must be {firsts[0]}, as in the model; received {self.batch}.")

    def check_text_size(self, signatures: Sequence[LiveSignature]) -> None:
        """Raises a ValueError if there is a size of texts, and no signature takes them in bytes."""
        specs = (spec for each in signatures for spec in each.inputs.values())
        axes = [axis for spec in specs for axis in spec.axes or () if isinstance(axis, str)]
        if self.text_size is not None and not any(axis.endswith(SIZE) for axis in axes):
            raise ValueError(f"text_size={self.text_size}: no signature takes a text in bytes.")

    def signature(self, signature: LiveSignature) -> LiveSignature:
        """The same signature for one shape, with int32 in place of bool and int64."""
        self.check(signature)
        sizes = self._with_room(signature)
        parts = signature.parts
        raw: Any = parts.preprocess

        def infer(**tensors: Any) -> dict[str, Any]:
            own = {key: tf.cast(x, parts.features[key].dtype) for key, x in tensors.items()}
            return parts.infer(**own)

        def preprocess(**tensors: Any) -> dict[str, Any]:
            own = {key: tf.cast(x, parts.inputs[key].dtype) for key, x in tensors.items()}
            computed = raw(**own)
            return computed | {key: sizes._filled(computed[key], x) for key, x in features.items()}

        inputs, features = (
            {
                key: ModelTensor(
                    sizes.shape(spec),
                    portable_dtype(spec.dtype),
                    _number(spec.padding),
                    meanings[key].meaning,
                    values_of(meanings[key]),
                )
                for key, spec in specs.items()
            }
            for specs, meanings in (
                (signature.inputs, parts.inputs),
                (signature.features, parts.features),
            )
        )
        fixed = FixedSignature(
            inputs,
            features,
            infer,
            {key: tuple(map(sizes.size, axes)) for key, axes in parts.outputs.items()},
            preprocess if raw else None,
            parts.postprocess,
            {key: tuple(map(sizes.size, axes)) for key, axes in parts.results.items()},
            purpose=parts.purpose,
            meanings=parts.meanings,
            units=parts.units,
            follows=parts.follows,
        )
        return LiveSignature(signature.name, fixed)

    def _with_room(self, signature: LiveSignature) -> FixedSizes:
        """These sizes, with those of features that are computed from texts and are larger."""
        parts = signature.parts
        if parts.preprocess is None:
            return self
        specs = {
            key: tf.TensorSpec(self.shape(spec), spec.dtype)
            for key, spec in signature.inputs.items()
        }
        raw: Any = parts.preprocess
        traced = tf.function(lambda **texts: raw(**texts), autograph=False)
        computed = traced.get_concrete_function(**specs).structured_outputs
        larger: dict[str, int] = {}
        for key, feature in signature.features.items():
            for axis, size in zip(feature.axes or (), computed[key].shape, strict=True):
                if isinstance(axis, str) and (size or 0) > self.size(axis):
                    larger[axis] = max(size, larger.get(axis, 0))
        return replace(self, larger=larger)

    def _filled(self, feature: Any, spec: ModelTensor) -> Any:
        """A feature, padded to its shape."""
        missing = [size - own for size, own in zip(spec.shape, feature.shape, strict=True)]
        filled = tf.pad(feature, [[0, more] for more in missing], constant_values=spec.padding or 0)
        return tf.cast(filled, spec.dtype)

    def shape(self, spec: Spec) -> tuple[int, ...]:
        """The shape of a tensor."""
        return tuple(self.size(axis) for axis in spec.axes or ())


@dataclass(frozen=True)
class FixedSignature:
    """A `ServingSignature` for one shape."""

    inputs: Mapping[str, ModelTensor]
    features: Mapping[str, ModelTensor]
    infer: Callable[..., dict[str, Any]]
    outputs: Mapping[str, tuple[int | str | None, ...]]
    preprocess: Callable[..., dict[str, Any]] | None
    postprocess: Callable[[dict[str, Any], dict[str, Any]], dict[str, Any]] | None
    results: Mapping[str, tuple[int | str | None, ...]]
    purpose: str
    meanings: Mapping[str, str]
    units: Mapping[str, str]
    follows: str
    invariances: tuple[str, ...] = ()
    tables: tuple[()] = ()


def portable_dtype(dtype: str) -> str:
    """The dtype of an input that all runtimes take."""
    return "int32" if dtype in ("bool", "int64") else dtype


def _number(padding: Any) -> Any:
    return int(padding) if isinstance(padding, bool) else padding
