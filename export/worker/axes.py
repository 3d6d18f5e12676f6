"""Named axes of tensors: their sizes, which of them may be padded, padding and cutting back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

BATCH = "batch"
Axes = Sequence[int | str | None]


class Spec(NamedTuple):
    """What is known of a tensor of a signature.

    Args:
        axes: For each axis its size, or its name where that is dynamic, or None for a size of its
            own; None where not even the number of axes is known.
        padding: What fills a dynamic axis beyond its end; None where nothing may, or is known to.
        dtype: The name of its dtype.
        unit: Of an output, the input in whose standard deviations errors are measured; None if
            they are relative.
    """

    axes: Axes | None
    padding: Any = None
    dtype: str = "float32"
    unit: str | None = None


UNKNOWN = Spec(None)


def sizes_of(
    axes: Mapping[str, Axes],
    shapes: Mapping[str, Sequence[int]],
    known: Mapping[str, int] | None = None,
) -> dict[str, int]:
    """The size of each named axis.

    Args:
        axes: The axes of each tensor.
        shapes: The shape of each tensor.
        known: Sizes that are known before.

    Raises:
        ValueError: If a shape does not have the axes, or axes of one name differ in size.

    Example:
        >>> sizes_of({"ids": ("batch", "length")}, {"ids": (2, 7)})
        {'batch': 2, 'length': 7}
    """
    sizes = dict(known or {})
    for name, each in axes.items():
        shape = tuple(shapes[name])
        fits = len(shape) == len(each)
        for axis, size in zip(each, shape, strict=False):
            wanted = sizes.setdefault(axis, size) if isinstance(axis, str) else axis
            fits = fits and wanted in (None, size)
        if not fits:
            known_sizes = {axis: sizes[axis] for axis in each if isinstance(axis, str)}
            raise ValueError(
                f"'{name}' has the shape {shape}; its axes are {[*each]} with {known_sizes}."
            )
    return sizes


def paddable(specs: Iterable[Spec]) -> list[str]:
    """The dynamic axes that may be padded: those for which every tensor says with what.

    Example:
        >>> paddable([Spec(("batch", "length"), 0), Spec((2, "edges"))])
        ['length']
    """
    may: dict[str, bool] = {}
    for spec in specs:
        for axis in spec.axes or ():
            if isinstance(axis, str) and axis != BATCH:
                may[axis] = may.get(axis, True) and spec.padding is not None
    return [axis for axis, held in may.items() if held]


def pad(array: np.ndarray, spec: Spec, more: Mapping[str, int]) -> np.ndarray:
    """`array` with `more` positions at the end of each axis, filled with its padding."""
    widths = [(0, more.get(axis, 0) if isinstance(axis, str) else 0) for axis in spec.axes or ()]
    if not any(width for _, width in widths):
        return array
    return np.pad(array, widths, constant_values=spec.padding)


def cut(array: Any, axes: Axes, sizes: Mapping[str, Any]) -> Any:
    """`array`, in NumPy or TensorFlow, up to the size of each of its axes that `sizes` has."""
    if not any(axis in sizes for axis in axes):
        return array
    ends = [sizes.get(axis) if isinstance(axis, str) else None for axis in axes]
    return array[tuple(map(slice, ends))]
