"""Normalizers: functions from the attention scores of a query to its attention weights.

Each is a function `(scores, mask=None, axis=-1) -> weights`. It computes in float32 and returns the
dtype of the scores. Masked positions get zero weight, even if all positions are masked.
"""

from collections.abc import Callable
from typing import Any

import keras
from keras import ops

from keras_attn.dense_only import dense_only
from keras_attn.functional.softmax import masked_softmax

Normalizer = Callable[..., Any]
LEAST = -1e30  # below any score


@dense_only
def softmax(scores: Any, mask: Any = None, axis: int = -1) -> Any:
    """Softmax.

    Source: Vaswani et al. 2017, equation 1.
    Formula: `w_i = exp(a_i) / sum_j exp(a_j)`

    Args:
        scores: Scores, such as (..., T, S).
        mask: Bool tensor that broadcasts to `scores`, True for positions to attend to.
        axis: Axis of the keys.

    Returns:
        Attention weights of the shape and dtype of `scores`.

    Example:
        >>> from keras import ops
        >>> from keras_attn import softmax
        >>> ops.convert_to_numpy(softmax([0.0, 0.0])).tolist()
        [0.5, 0.5]
    """
    return masked_softmax(scores, mask, axis)


@dense_only
def ratio(scores: Any, mask: Any = None, axis: int = -1) -> Any:
    """Divides non-negative scores by their sum.

    Source: Graves et al. 2014, equation 5, which applies it to exponential scores.
    Formula: `w_i = a_i / sum_j a_j`

    Args:
        scores: Non-negative scores, such as (..., T, S). Layers refuse other scores: of a `Score`
            of your own, set `can_be_negative = False`.
        mask: Bool tensor that broadcasts to `scores`, True for positions to attend to.
        axis: Axis of the keys.

    Returns:
        Attention weights of the shape and dtype of `scores`; zeros if the sum is zero.

    Example:
        >>> from keras import ops
        >>> from keras_attn import ratio
        >>> ops.convert_to_numpy(ratio([1.0, 3.0])).tolist()
        [0.25, 0.75]
    """
    scores, x = _as_float32(scores)
    x = _where_open(mask, x, 0.0)
    total = ops.sum(x, axis=axis, keepdims=True)
    return ops.cast(x / ops.where(ops.equal(total, 0.0), 1.0, total), scores.dtype)


@dense_only
def sigmoid(scores: Any, mask: Any = None, axis: int = -1) -> Any:
    """Sigmoid of each score; the weights need not sum to 1.

    Source: Ramapuram et al. 2024, equation 3.
    Formula: `w_i = 1 / (1 + exp(-a_i))`

    Args:
        scores: Scores, such as (..., T, S).
        mask: Bool tensor that broadcasts to `scores`, True for positions to attend to.
        axis: Not used.

    Returns:
        Attention weights of the shape and dtype of `scores`.

    Example:
        >>> from keras import ops
        >>> from keras_attn import sigmoid
        >>> ops.convert_to_numpy(sigmoid([0.0, 9.0], [True, False])).tolist()
        [0.5, 0.0]
    """
    del axis
    scores, x = _as_float32(scores)
    return ops.cast(_where_open(mask, ops.sigmoid(x), 0.0), scores.dtype)


@dense_only
def sparsemax(scores: Any, mask: Any = None, axis: int = -1) -> Any:
    """Sparsemax: Euclidean projection onto the simplex, with sparse weights.

    Source: Martins & Astudillo 2016, equation 2, algorithm 1.
    Formula: `w_i = max(0, a_i - tau)` with tau such that the weights sum to one

    Args:
        scores: Scores, such as (..., T, S).
        mask: Bool tensor that broadcasts to `scores`, True for positions to attend to.
        axis: Axis of the keys.

    Returns:
        Attention weights of the shape and dtype of `scores`.

    Example:
        >>> from keras import ops
        >>> from keras_attn import sparsemax
        >>> ops.convert_to_numpy(sparsemax([1.0, 0.5, -1.0])).tolist()
        [0.75, 0.25, 0.0]
    """
    scores, x = _as_float32(scores)
    x = _below_greatest(x, mask, axis)
    top, rank, total, _ = _sorted_sums(x, axis)
    is_in, size = _support(x, top, (total - 1.0) / rank, axis)
    tau = (ops.sum(x * is_in, axis=axis, keepdims=True) - 1.0) / size
    return ops.cast(_where_open(mask, ops.relu(x - tau), 0.0), scores.dtype)


@dense_only
def entmax15(scores: Any, mask: Any = None, axis: int = -1) -> Any:
    """1.5-entmax: between softmax and sparsemax, smooth and with sparse weights.

    Source: Peters et al. 2019, equation 13 with alpha = 1.5, algorithm 2.
    Formula: `w_i = max(0, a_i / 2 - tau) ** 2` with tau such that the weights sum to one

    Args:
        scores: Scores, such as (..., T, S).
        mask: Bool tensor that broadcasts to `scores`, True for positions to attend to.
        axis: Axis of the keys.

    Returns:
        Attention weights of the shape and dtype of `scores`.

    Example:
        >>> from keras import ops
        >>> from keras_attn import entmax15
        >>> ops.convert_to_numpy(entmax15([0.0, 0.0, -9.0])).round(4).tolist()
        [0.5, 0.5, 0.0]
    """
    scores, x = _as_float32(scores)
    x = _below_greatest(x / 2.0, mask, axis)
    top, rank, total, squares = _sorted_sums(x, axis)
    is_in, size = _support(x, top, _entmax15_threshold(rank, total, squares), axis)
    total = ops.sum(x * is_in, axis=axis, keepdims=True)
    squares = ops.sum(x * x * is_in, axis=axis, keepdims=True)
    tau = _entmax15_threshold(size, total, squares)
    return ops.cast(_where_open(mask, ops.square(ops.relu(x - tau)), 0.0), scores.dtype)


def _entmax15_threshold(count: Any, total: Any, squares: Any) -> Any:
    """Returns the smaller tau that solves `sum (x_i - tau)^2 = 1` over `count` numbers."""
    mean = total / count
    return mean - ops.sqrt(ops.maximum((1.0 - squares + total * mean) / count, 1e-12))


def _as_float32(scores: Any) -> tuple[Any, Any]:
    scores = ops.convert_to_tensor(scores)
    return scores, ops.cast(scores, "float32")


def _below_greatest(x: Any, mask: Any, axis: int) -> Any:
    """Subtracts the greatest unmasked score, and clips the scores at -2.

    No threshold is lower than -1, so -2 stands for zero weight: whatever the values of masked
    positions, and however far apart the scores are, the sums below stay exact.
    """
    greatest = ops.max(_where_open(mask, x, LEAST), axis=axis, keepdims=True, initial=LEAST)
    return ops.maximum(_where_open(mask, x - ops.stop_gradient(greatest), -2.0), -2.0)


def _sorted_sums(x: Any, axis: int) -> tuple[Any, Any, Any, Any]:
    """Returns scores in descending order, ranks from 1, and sums of the scores and squares."""
    top = -ops.sort(-ops.stop_gradient(x), axis=axis)
    rank = ops.cumsum(ops.ones_like(top), axis=axis)
    return top, rank, ops.cumsum(top, axis=axis), ops.cumsum(top * top, axis=axis)


def _support(x: Any, top: Any, thresholds: Any, axis: int) -> tuple[Any, Any]:
    """Returns which scores get a positive weight, and how many.

    `thresholds` has the tau of the k greatest scores at rank k. It grows up to the last of these
    scores that is above it, where it is the tau of all. Scores are compared with tau instead of
    with the smallest sorted score: XLA may compute `x` a second time for this comparison, with
    another rounding, which is harmless next to tau only. The exact tau is then a function of the
    unsorted scores, so that no gradient flows through the sort.
    """
    below = ops.where(thresholds < top, thresholds, -2.0)
    tau = ops.max(below, axis=axis, keepdims=True, initial=-2.0)
    is_in = ops.cast(x > tau, "float32")
    return is_in, ops.maximum(ops.sum(is_in, axis=axis, keepdims=True), 1.0)


def _where_open(mask: Any, x: Any, otherwise: float) -> Any:
    return x if mask is None else ops.where(ops.cast(mask, "bool"), x, otherwise)


NORMALIZERS: dict[str, Normalizer] = {
    "softmax": softmax,
    "ratio": ratio,
    "sparsemax": sparsemax,
    "entmax15": entmax15,
    "sigmoid": sigmoid,
}


def get_normalizer(name: Any) -> Normalizer:
    """Returns a normalizer by name.

    Args:
        name: A name from `NORMALIZERS`; or a function of the same signature, which is returned as
            is, or its serialized form.

    Returns:
        A function `(scores, mask, axis)`.

    Raises:
        ValueError: If the name is unknown.

    Example:
        >>> get_normalizer("sparsemax").__name__
        'sparsemax'
    """
    if isinstance(name, dict):
        name = keras.saving.deserialize_keras_object(name)
    if callable(name):
        return name
    if name in NORMALIZERS:
        return NORMALIZERS[name]
    raise ValueError(
        f"normalizer must be one of {', '.join(NORMALIZERS)}, or a function; received {name!r}."
    )


def serialize_normalizer(normalizer: Normalizer) -> Any:
    """Serializes a normalizer for the config of a layer.

    Args:
        normalizer: A normalizer.

    Returns:
        The name of a normalizer from `NORMALIZERS`, the serialized form of any other function.

    Example:
        >>> serialize_normalizer(ratio)
        'ratio'
    """
    for name, function in NORMALIZERS.items():
        if function is normalizer:
            return name
    return keras.saving.serialize_keras_object(normalizer)
