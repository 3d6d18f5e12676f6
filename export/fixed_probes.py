"""Probes of a file of one shape: calls of the live model without padding, and padded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from export.fixed import FixedSizes, portable_dtype
from export.signatures import LiveSignature
from export.worker.axes import BATCH, Spec, paddable
from export.worker.probes import Probe, Tensors

MOST = 6  # lengths: the live model is asked about each alone


def fitting_calls(
    sizes: FixedSizes, signature: LiveSignature, calls: Sequence[Tensors], most: int = MOST
) -> list[Tensors]:
    """What the live model is asked: calls of at most these sizes, cut out of others.

    Each has `batch` rows, of which the last may be there twice. An axis that may be padded is cut
    where there is padding alone, and at `length`; any other has to be as long as `length`, and is
    cut if it is longer.

    Args:
        sizes: The sizes.
        signature: The signature, with its dynamic axes.
        calls: Inputs of any sizes.
        most: The largest number of calls.

    Raises:
        ValueError: If no call fits, so that nothing could be proven.
    """
    sizes.check(signature)
    fitting = [part for call in calls for part in _parts(sizes, signature, call)]
    if not fitting:
        raise ValueError(
            f"Signature '{signature.name}' has no probe of batch={sizes.batch} and "
            f"length={sizes.length}, and its inputs may not be padded."
        )
    fitting.sort(key=lambda call: sum(array.size for array in call.values()))
    indices = np.linspace(0, len(fitting) - 1, min(len(fitting), most)).round().astype(int)
    return [fitting[index] for index in indices]


def _parts(sizes: FixedSizes, signature: LiveSignature, call: Tensors) -> Iterator[Tensors]:
    inputs, padded_axes = signature.inputs, _paddable(signature)
    batched = [key for key in call if BATCH in (inputs[key].axes or ())]
    for start in range(0, len(call[batched[0]]) if batched else 1, sizes.batch):
        indices = np.arange(start, start + sizes.batch)
        part = {
            key: x[np.minimum(indices, len(x) - 1)] if key in batched else x
            for key, x in call.items()
        }
        if signature.parts.preprocess:  # bytes of a text end where its length says
            written = max(max(x.shape) for x in part.values())
        else:
            written = max(_written(x, inputs[key], padded_axes) for key, x in part.items())
        part = {key: _cut(x, inputs[key], sizes, padded_axes, written) for key, x in part.items()}
        if all(_is_whole(x, inputs[key], sizes, padded_axes) for key, x in part.items()):
            yield part


def _paddable(signature: LiveSignature) -> list[str]:
    """The axes of inputs that may be padded."""
    if signature.parts.preprocess is None:
        return signature.paddable
    own = {axis for spec in signature.features.values() for axis in spec.axes or ()}
    raw = paddable(signature.inputs.values())
    return [axis for axis in raw if axis not in own or axis in signature.paddable]


def _written(array: np.ndarray, spec: Spec, paddable: Sequence[str]) -> int:
    """Where, on the axes that may be padded, there is padding alone from then on."""
    written = 1
    for index, axis in enumerate(spec.axes or ()):
        if axis in paddable:
            others = tuple(other for other in range(array.ndim) if other != index)
            own = np.flatnonzero((array != spec.padding).any(axis=others))
            written = max(written, *(own + 1), 1)
    return written


def _cut(
    array: np.ndarray, spec: Spec, sizes: FixedSizes, paddable: Sequence[str], written: int
) -> np.ndarray:
    ends = (
        min(written, sizes.size(axis)) if axis in paddable else sizes.size(axis)
        for axis in spec.axes or ()
    )
    return array[tuple(map(slice, ends))]


def _is_whole(array: np.ndarray, spec: Spec, sizes: FixedSizes, paddable: Sequence[str]) -> bool:
    """Whether there is nothing to fill that may not be padded."""
    axes = zip(spec.axes or (), array.shape, strict=True)
    return all(axis in paddable or size == sizes.size(axis) for axis, size in axes)


def padded(sizes: FixedSizes, signature: LiveSignature, probe: Probe) -> Probe:
    """The probe of the file: its inputs padded, with what the live model gives without padding."""
    inputs = {}
    for key, array in probe.inputs.items():
        spec = signature.inputs[key]
        missing = np.subtract(sizes.shape(spec), array.shape)
        if missing.any():
            widths = [(0, width) for width in missing]
            array = np.pad(array, widths, constant_values=spec.padding)
        inputs[key] = array.astype(portable_dtype(spec.dtype))
    return Probe(inputs, probe.outputs)
