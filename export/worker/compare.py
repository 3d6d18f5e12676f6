"""How far two results are apart: numbers, tokens and text each in their own way."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .probes import Tensors


class Distance(NamedTuple):
    """The largest error of the numbers, and the share of tokens or texts that agree."""

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


def agreement(expected: np.ndarray, actual: np.ndarray) -> float:
    """The share of equal tokens; positions that are padding (0) on both sides do not count."""
    counted = np.ones(expected.shape, bool)
    if expected.dtype.kind in "iu":
        counted = (expected != 0) | (actual != 0)
    return float((expected == actual)[counted].mean()) if counted.any() else 1.0


def distance(expected: np.ndarray, actual: np.ndarray) -> Distance:
    """The `Distance` of two arrays of one shape."""
    if expected.dtype.kind in "fc":
        return Distance(error=error(expected, actual))
    return Distance(agreement=agreement(expected, actual))


def overlap(expected: np.ndarray, actual: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
    """Both cut to the shape they share; None where tokens are left over that are no padding.

    A row decoded alone stops earlier than in a batch, where it is padded to the longest row.
    """
    if expected.ndim != actual.ndim:
        return None
    shared = tuple(slice(min(sizes)) for sizes in zip(expected.shape, actual.shape, strict=True))
    for array in (expected, actual):
        if array.dtype.kind in "iu" and np.count_nonzero(array) != np.count_nonzero(array[shared]):
            return None
    return expected[shared], actual[shared]


def alike(name: str, expected: Tensors, actual: Tensors) -> tuple[np.ndarray, np.ndarray]:
    """The output `name` of both, made comparable where the tokens may differ.

    After quantization a row may take another path: its tokens are compared as far as either goes,
    its scores and maps mean another sentence and are left out.
    """
    pair = expected[name], actual[name]
    if pair[0].dtype.kind in "fc":
        rows = _agreeing_rows(expected, actual)
        shared = overlap(*pair)
        if shared is None:
            return pair
        batched = rows is not None and shared[0].shape[:1] == rows.shape
        return (shared[0][rows], shared[1][rows]) if batched else shared
    return _padded(*pair)


def _padded(one: np.ndarray, other: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Both with zeros added up to the larger of each size; as they are if their ranks differ."""
    if one.ndim != other.ndim or one.shape == other.shape:
        return one, other
    sizes = [max(pair) for pair in zip(one.shape, other.shape, strict=True)]
    grown = []
    for array in (one, other):
        larger = np.zeros(sizes, array.dtype)
        larger[tuple(slice(size) for size in array.shape)] = array
        grown.append(larger)
    return grown[0], grown[1]


def _agreeing_rows(expected: Tensors, actual: Tensors) -> np.ndarray | None:
    """Which rows of a batch got the same tokens or texts; None where the results hold neither."""
    rows = None
    for name, tokens in expected.items():
        if tokens.dtype.kind not in "iuS" or tokens.ndim == 0:
            continue
        one, other = _padded(tokens, actual[name])
        if one.shape != other.shape:
            return np.zeros(len(tokens), bool)
        equal = (one == other).reshape(len(one), -1).all(axis=1)
        rows = equal if rows is None else rows & equal
    return rows
