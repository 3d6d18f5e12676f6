"""Rows of several calls in one: padded to the same size, and cut back afterwards."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from zoo.preprocessing.base import BATCH
from zoo.server.servable import Arrays, ServedSignature, Tensor

Sizes = dict[str, int]


def sizes_of(signature: ServedSignature, arrays: Arrays) -> Sizes:
    """The size of each named axis of the inputs."""
    return {
        axis: size
        for name, tensor in signature.inputs.items()
        for axis, size in zip(tensor.axes, arrays[name].shape, strict=True)
        if isinstance(axis, str)
    }


def fit(signature: ServedSignature, one: Sizes, other: Sizes) -> bool:
    """Whether calls of these sizes may be computed together."""
    if not signature.joins or not all(_cuttable(x, one) for x in signature.outputs.values()):
        return False
    if all(one[axis] == other[axis] for axis in one if axis != BATCH):
        return True
    # Where one tensor of an axis must not be padded, the axis must not.
    unequal = {axis for axis in one if axis != BATCH and one[axis] != other[axis]}
    tensors = [x for x in signature.inputs.values() if unequal & {*x.axes}]
    return signature.pads and all(tensor.padding is not None for tensor in tensors)


def _cuttable(tensor: Tensor, sizes: Sizes) -> bool:
    """Whether an output has the same sizes in a batch as alone, or is known how to be cut."""
    pairs = list(zip(tensor.axes, tensor.sizes, strict=True))
    return bool(pairs) and all(axis in sizes or size is not None for axis, size in pairs[1:])


def divided(signature: ServedSignature, arrays: Arrays) -> list[Arrays]:
    """A call for each row, where the signature gives the same outputs in a batch and alone.

    Rows of other requests are then computed between them, and a long one does not make all others
    as long.
    """
    sizes = sizes_of(signature, arrays)
    if sizes.get(BATCH, 1) < 2 or not fit(signature, sizes, sizes) or signature.fixed_rows:
        return [arrays]
    if not all(tensor.axes[:1] == (BATCH,) for tensor in signature.outputs.values()):
        return [arrays]
    return [
        {name: array[row : row + 1] for name, array in arrays.items()}
        for row in range(sizes[BATCH])
    ]


def count_united(calls: Sequence[Arrays]) -> int:
    """The number of values that `united` returns, with those that fill shorter rows up."""
    count = 0
    for name in calls[0]:
        shapes = np.array([outputs[name].shape for outputs in calls], dtype=np.int64)
        rows, longest = shapes[:, :1].sum(), shapes[:, 1:].max(axis=0)
        count += int(rows * longest.prod())
    return count


def united(signature: ServedSignature, calls: Sequence[Arrays]) -> Arrays:
    """The outputs of `divided` calls as those of one, each filled up to the longest."""
    if len(calls) == 1:
        return calls[0]
    merged = {}
    for name, tensor in signature.outputs.items():
        parts = [outputs[name] for outputs in calls]
        longest = np.max([part.shape[1:] for part in parts], axis=0, initial=0)
        fill = b"" if parts[0].dtype == object else tensor.padding or 0
        merged[name] = np.concatenate([_grown(part, longest, fill) for part in parts])
    return merged


def _grown(array: np.ndarray, sizes: Sequence[int], fill: Any) -> np.ndarray:
    """An array whose axes after the first have at least these sizes."""
    if array.shape[1:] == tuple(sizes):
        return array
    missing = [(0, size - own) for size, own in zip(sizes, array.shape[1:], strict=True)]
    return np.pad(array, [(0, 0), *missing], constant_values=fill)


def compute(signature: ServedSignature, calls: Sequence[Arrays]) -> list[Arrays]:
    """The outputs of each call, from one run of the signature.

    Args:
        signature: The signature.
        calls: The inputs of each call.
    """
    every = [sizes_of(signature, arrays) for arrays in calls]
    whole = {axis: max(sizes[axis] for sizes in every) for axis in every[0]}
    rows = sum(sizes.get(BATCH, 1) for sizes in every)
    inputs = {}
    for name, tensor in signature.inputs.items():
        parts = [_padded(arrays[name], tensor, whole) for arrays in calls]
        inputs[name] = _filled(np.concatenate(parts) if len(parts) > 1 else parts[0], tensor)
    outputs = signature.run(inputs)
    results, start = [], 0
    for sizes in every:
        end = start + sizes.get(BATCH, rows)
        results.append(
            {
                name: _cut(array, signature.outputs.get(name), sizes, slice(start, end))
                for name, array in outputs.items()
            }
        )
        start = end
    return results


def _padded(array: np.ndarray, tensor: Tensor, whole: Sizes) -> np.ndarray:
    """An input of one call, as long as the longest, or as the only size of the model."""
    targets = [
        size
        if axis == BATCH or not isinstance(axis, str)
        else (whole[axis] if fixed is None else fixed)
        for axis, fixed, size in zip(tensor.axes, tensor.sizes, array.shape, strict=True)
    ]
    widths = [(0, target - size) for target, size in zip(targets, array.shape, strict=True)]
    if not any(width for _, width in widths):
        return array
    return np.pad(array, widths, constant_values=tensor.padding)


def _filled(array: np.ndarray, tensor: Tensor) -> np.ndarray:
    """Enough rows for a model of a fixed number of them: the last one again."""
    if tensor.axes[:1] != (BATCH,) or tensor.sizes[0] in (None, len(array)):
        return array
    return np.concatenate([array, np.repeat(array[-1:], tensor.sizes[0] - len(array), axis=0)])


def _cut(array: np.ndarray, tensor: Tensor | None, sizes: Sizes, rows: slice) -> np.ndarray:
    """The part of an output that belongs to one call."""
    if tensor is None or len(tensor.axes) != array.ndim:
        return array
    return array[
        tuple(
            rows if axis == BATCH else slice(sizes.get(axis) if isinstance(axis, str) else None)
            for axis in tensor.axes
        )
    ]
