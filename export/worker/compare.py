"""The distance of two results: of numbers, tokens and text each in their own way."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from .axes import BATCH, UNKNOWN, Spec
from .probes import Tensors, is_text

ROUNDING = 1e-6  # of float32, relative to the greatest number of a sum
Pair = tuple[np.ndarray, np.ndarray]


class Distance(NamedTuple):
    """The greatest error of numbers, and the share of tokens, labels or texts that are equal."""

    error: float = 0.0
    agreement: float = 1.0

    def worse(self, other: Distance) -> Distance:
        """The worse of both, in each respect."""
        return Distance(max(self.error, other.error), min(self.agreement, other.agreement))


def error(expected: np.ndarray, actual: np.ndarray) -> float:
    """max |actual - expected| / max(1, max |expected|); infinite where NaN or inf do not match.

    The scale makes one tolerance fit probabilities and large logits alike.
    """
    if expected.size == 0:
        return 0.0
    expected, actual = expected.astype("float64"), actual.astype("float64")
    finite = np.isfinite(expected)
    if not np.array_equal(finite, np.isfinite(actual)) or not np.array_equal(
        expected[~finite], actual[~finite], equal_nan=True
    ):
        return float("inf")
    if not finite.any():
        return 0.0
    expected, actual = expected[finite], actual[finite]
    return float(np.abs(actual - expected).max() / max(1.0, np.abs(expected).max()))


def in_deviations(expected: np.ndarray, actual: np.ndarray, values: np.ndarray) -> np.ndarray:
    """How far numbers are apart, in standard deviations of the values that they continue.

    What the rounding of float32 explains, which depends on the mean of the values, is left out.

    Args:
        expected: Numbers (B, H, C, ...), in the unit of the values.
        actual: The same of the artifact.
        values: Values (B, T, C), NaN where missing. The deviation of constant values is their size.

    Returns:
        Distances (B, H, C, ...); infinite where a number is not finite.

    Example:
        >>> values = np.array([[[999.0], [np.nan], [1001.0]]])
        >>> in_deviations(np.array([[[1003.0]]]), np.array([[[1003.5]]]), values).round(2).tolist()
        [[[0.5]]]
    """
    values = values.astype("float64")
    there = np.isfinite(values)
    count = np.maximum(there.sum(axis=1, keepdims=True), 1)
    mean = np.where(there, values, 0.0).sum(axis=1, keepdims=True) / count
    variance = np.where(there, (values - mean) ** 2, 0.0).sum(axis=1, keepdims=True) / count
    size = np.where(mean, np.abs(mean), 1.0)
    scale = np.where(np.sqrt(variance) > ROUNDING * size, np.sqrt(variance), size)
    shape = (*scale.shape, *(1,) * (expected.ndim - scale.ndim))
    off = np.abs(actual.astype("float64") - expected) - ROUNDING * np.abs(mean).reshape(shape)
    return np.where(np.isfinite(off), np.maximum(off, 0.0) / scale.reshape(shape), np.inf)


def agreement(expected: np.ndarray, actual: np.ndarray, padding: Any = None) -> float:
    """The share of elements that are equal.

    Args:
        expected: Integers, booleans or text.
        actual: The same of the artifact.
        padding: What fills the positions behind the end: where both have it, nothing is counted.
            None if every position counts.
    """
    counted = np.ones(expected.shape, bool)
    if padding is not None:
        counted = (expected != padding) | (actual != padding)
    return float((expected == actual)[counted].mean()) if counted.any() else 1.0


def distance(expected: np.ndarray, actual: np.ndarray, padding: Any = None) -> Distance:
    """The `Distance` of two arrays of one shape."""
    if expected.dtype.kind in "fc":
        return Distance(error=error(expected, actual))
    counts_all = expected.dtype.kind not in "iu"
    return Distance(agreement=agreement(expected, actual, None if counts_all else padding))


def overlap(expected: np.ndarray, actual: np.ndarray, padding: Any = None) -> Pair | None:
    """Both, cut to the shape they share.

    Args:
        expected: An array.
        actual: Another one.
        padding: What fills the positions behind the end, if they are integers; None if nothing
            does.

    Returns:
        The two; None if they differ in rank, or something other than padding would be cut off.
        Numbers may be: they belong to tokens, which are compared.
    """
    if expected.ndim != actual.ndim:
        return None
    shared = tuple(slice(min(sizes)) for sizes in zip(expected.shape, actual.shape, strict=True))
    for array in (expected, actual):
        if array.dtype.kind in "fc" or array.shape == array[shared].shape:
            continue
        fill = _fill(array, padding)
        if fill is None or (array != fill).sum() != (array[shared] != fill).sum():
            return None
    return expected[shared], actual[shared]


def _fill(array: np.ndarray, padding: Any) -> Any:
    """What an array is filled with: integers with the padding, text with nothing."""
    if array.dtype.kind in "iu":
        return padding
    return b"" if is_text(array) else None


def _padded(one: np.ndarray, other: np.ndarray, padding: Any) -> Pair:
    """Both filled up to the greater of each size, or as they are if nothing fills them."""
    fill = _fill(one, padding)
    if one.shape == other.shape or one.ndim != other.ndim or fill is None:
        return one, other
    sizes = [max(pair) for pair in zip(one.shape, other.shape, strict=True)]
    grown = []
    for array in (one, other):
        larger = np.full(sizes, fill, array.dtype)
        larger[tuple(slice(size) for size in array.shape)] = array
        grown.append(larger)
    return grown[0], grown[1]


def equal_rows(expected: Tensors, actual: Tensors, specs: Mapping[str, Spec]) -> np.ndarray | None:
    """Which rows of a batch got the same tokens or texts; None where the results hold neither."""
    equal = None
    for name, tokens in expected.items():
        spec = specs.get(name, UNKNOWN)
        has_rows = spec.axes is None or (spec.axes and spec.axes[0] == BATCH)
        if not (is_text(tokens) or tokens.dtype.kind in "iu") or tokens.ndim == 0 or not has_rows:
            continue
        one, other = _padded(tokens, actual[name], spec.padding)
        if one.shape != other.shape:
            return np.zeros(len(tokens), bool)
        rows = (one == other).reshape(len(one), -1).all(axis=1)
        equal = rows if equal is None else equal & rows
    return equal
