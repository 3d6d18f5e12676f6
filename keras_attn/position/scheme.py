"""Base class of the position schemes that work inside multi-head attention."""

from collections.abc import Callable
from typing import Any

import keras
from keras import ops

from keras_attn.checked import CheckedLayer


class PositionScheme(CheckedLayer):
    """Base class of position schemes for multi-head attention; by itself, it adds no positions.

    Subclasses override some of the four steps below, which `MultiHeadAttention(position=...)` calls
    in this order. The steps that take `offset` only know relative positions: it is the position of
    the first query minus that of the first key. It is 0 for a whole sequence, and may be a tensor,
    such as in a decoding loop.

    1. `place(x, start_index)` applies absolute positions to queries and keys.
    2. `prepare(score, key)` computes the part that needs only the keys; a cache stores its result.
    3. `compare(score, query, prepared, offset)` computes the scores.
    4. `combine(weights, value, offset)` computes the contexts.

    Source: Vaswani et al. 2017, section 3.5 (attention without positions ignores the order).
    Formula: `context = combine(normalizer(compare(place(q), prepare(place(k)))), v)`

    Args:
        **kwargs: Keyword arguments of `keras.layers.Layer`.

    Inputs: Those of the four steps.
    Outputs: Those of the four steps.

    Raises:
        ValueError: If a keyword argument is not one of `keras.layers.Layer`.

    Example:
        >>> class HereOnly(PositionScheme):
        ...     def combine(self, weights, value, offset):
        ...         return value  # ignores the weights
        >>> from keras_attn.attention.multi_head import MultiHeadAttention
        >>> layer = MultiHeadAttention(num_heads=2, key_dim=7, position=HereOnly())
        >>> x = ops.ones((3, 5, 11))
        >>> tuple(layer(x, x).shape)
        (3, 5, 11)
    """

    # Whether scores that are never negative can be so with the positions.
    can_make_negative = False

    def build_heads(self, query_shape: tuple, value_shape: tuple) -> None:
        """Creates the weights, if any, for queries (B, H, T, K) and values (B, H, S, Kv)."""

    @property
    def is_none(self) -> bool:
        """Whether it adds no positions."""
        return type(self) is PositionScheme

    @property
    def only_places(self) -> bool:
        """Whether the scheme overrides only the first step."""
        steps = ("prepare", "compare", "combine")
        return all(getattr(type(self), step) is getattr(PositionScheme, step) for step in steps)

    def place(self, x: Any, start_index: Any) -> Any:
        """Applies positions to queries or keys (B, H, T, K), the first at `start_index`."""
        return x

    def prepare(self, score: Any, key: Any) -> Any:
        """Computes the part of the scores that needs only keys: (B, G, S, K) to (B, G, S, P)."""
        return score.prepare(key)

    def compare(self, score: Any, query: Any, prepared: Any, offset: Any) -> Any:
        """Computes the scores: queries (B, H, T, K), prepared keys (B, G, S, P) to (B, H, T, S)."""
        return shared_heads(score.compare, query, prepared)

    def combine(self, weights: Any, value: Any, offset: Any) -> Any:
        """Computes the contexts: weights (B, H, T, S), values (B, G, S, Kv) to (B, H, T, Kv)."""
        return shared_heads(ops.matmul, weights, value)


def shared_heads(function: Callable[[Any, Any], Any], x: Any, shared: Any) -> Any:
    """Applies a row-wise function to heads of which several share the same second argument.

    The rows of the heads in a group are concatenated, so the shared tensor is neither repeated nor
    read twice.

    Source: Ainslie et al. 2023, section 2.2 (grouped queries).
    Formula: `y[b, h] = function(x[b, h], shared[b, h // (H / G)])`

    Args:
        function: Function of a tensor (B, G, R, A) and `shared` that returns a tensor (B, G, R, C),
            and treats each of the R rows independently.
        x: Tensor (B, H, T, A).
        shared: Tensor (B, G, S, E), where G divides H.

    Returns:
        Tensor (B, H, T, C).

    Example:
        >>> weights, values = ops.ones((3, 4, 5, 7)), ops.ones((3, 2, 7, 11))
        >>> tuple(shared_heads(ops.matmul, weights, values).shape)
        (3, 4, 5, 11)
    """
    heads, groups = x.shape[1], shared.shape[1]
    if heads == groups:
        return function(x, shared)
    batch, _, length, width = ops.shape(x)
    y = function(ops.reshape(x, (batch, groups, heads // groups * length, width)), shared)
    return ops.reshape(y, (batch, heads, length, ops.shape(y)[-1]))


def add_to_scores(scores: Any, change: Any) -> Any:
    """Adds a position-dependent term to the scores, in float32 and finite.

    Formula: `y = scores + change`

    Args:
        scores: Tensor (..., T, S).
        change: Tensor that broadcasts to `scores`.

    Returns:
        float32 tensor (..., T, S).

    Example:
        >>> float(add_to_scores(ops.array(2.0, "float16"), ops.array(0.5)))
        2.5
    """
    return _finite(scores) + _finite(change)


def _finite(x: Any) -> Any:
    # A product that overflowed is infinite: two of them, or one and a mask, would cause NaN.
    is_half = keras.backend.standardize_dtype(x.dtype) == "float16"
    x = ops.cast(x, "float32")
    return ops.clip(x, -65504.0, 65504.0) if is_half else x
