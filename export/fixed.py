"""Fixed sizes of all inputs, for runtimes that take no others: GPUs, NPUs and browsers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import tensorflow as tf

from export.graph_axes import EDGES
from export.keras_model import ModelSignature
from export.model_probes import ModelTensor
from export.signatures import Signature
from export.worker.axes import BATCH, Spec


@dataclass(frozen=True)
class FixedSizes:
    """The sizes that every dynamic axis gets.

    Args:
        batch: The size of the axis "batch".
        length: The size of every other dynamic axis; None if there is none.

    Raises:
        ValueError: If a size is not a positive integer.
    """

    batch: int
    length: int | None = None

    def __post_init__(self) -> None:
        for name, size in (("batch", self.batch), ("length", self.length)):
            if size is not None and (type(size) is not int or size < 1):
                raise ValueError(f"{name} must be a positive integer; received {size!r}.")

    def size(self, axis: int | str | None) -> Any:
        """The size of an axis."""
        return axis if not isinstance(axis, str) else self.batch if axis == BATCH else self.length

    def check(self, signature: Signature) -> None:
        """Raises a ValueError if these sizes do not fix all inputs of a signature."""
        axes = [axis for spec in signature.inputs.values() for axis in spec.axes or ()]
        dynamic = dict.fromkeys(axis for axis in axes if isinstance(axis, str) and axis != BATCH)
        if signature.parts.preprocess:
            raise ValueError("batch and length need text=None: text has no fixed length.")
        if EDGES in dynamic:
            raise ValueError(
                "Graphs have more sizes than batch and length: fix them in keras.Input."
            )
        if dynamic and self.length is None:
            raise ValueError(f"length must be given: it is the size of {', '.join(dynamic)}.")
        if self.length is not None and not dynamic and self.length not in axes:
            raise ValueError(
                f"length={self.length}: no input has a dynamic axis besides the batch."
            )
        firsts = [spec.axes[0] for spec in signature.inputs.values() if spec.axes]
        if firsts and BATCH not in firsts and self.batch not in firsts:
            raise ValueError(f"batch must be {firsts[0]}, as in the model; received {self.batch}.")

    def signature(self, signature: Signature) -> Signature:
        """The same signature for one shape, with int32 in place of bool and int64."""
        parts = signature.parts
        self.check(signature)

        def infer(**tensors: Any) -> dict[str, Any]:
            own = {key: tf.cast(x, parts.features[key].dtype) for key, x in tensors.items()}
            return parts.infer(**own)

        inputs = {
            key: ModelTensor(
                self.shape(spec),
                portable_dtype(spec.dtype),
                _number(spec.padding),
                parts.inputs[key].meaning,
            )
            for key, spec in signature.inputs.items()
        }
        outputs = {key: tuple(map(self.size, axes)) for key, axes in parts.outputs.items()}
        found = ModelSignature(
            inputs, infer, outputs, purpose=parts.purpose, meanings=parts.meanings
        )
        return Signature(signature.name, found)

    def shape(self, spec: Spec) -> tuple[int, ...]:
        """The shape of a tensor."""
        return tuple(self.size(axis) for axis in spec.axes or ())


def portable_dtype(dtype: str) -> str:
    """The dtype of an input that all runtimes take."""
    return "int32" if dtype in ("bool", "int64") else dtype


def _number(padding: Any) -> Any:
    return int(padding) if isinstance(padding, bool) else padding
