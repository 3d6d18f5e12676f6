"""The base of every position scheme that works inside an attention."""

from collections.abc import Callable
from typing import Any

import keras
from keras import ops


class PositionScheme(keras.layers.Layer):
    """How an attention of many heads learns where its queries and keys are. By itself: not at all.

    A scheme of your own overrides what it changes of four steps, which
    `MultiHeadAttention(position=...)` takes in this order. Steps that take `offset` know only how
    far apart queries and keys are: the index of the first query less that of the first key. It is
    0 for a whole sequence and may be a tensor, as in a decoding loop.

    1. `place(x, start_index)` moves queries and keys to where they are.
    2. `prepare(score, key)` does what needs the keys alone; a cache holds what it gives.
    3. `compare(score, query, prepared, offset)` gives the scores.
    4. `combine(weights, value, offset)` gives the contexts.

    Source: Vaswani et al. 2017, section 3.5 (an attention alone does not know the order).
    Formula: `context = combine(normalizer(compare(place(q), prepare(place(k)))), v)`

    Args:
        **kwargs: Those of `keras.layers.Layer`.

    Inputs: Those of the four steps.
    Outputs: Those of the four steps.

    Raises:
        ValueError: Never by itself.

    Example:
        >>> class HereOnly(PositionScheme):
        ...     def combine(self, weights, value, offset):
        ...         return value  # whatever the weights are
        >>> from keras_attn.attention.multi_head import MultiHeadAttention
        >>> layer = MultiHeadAttention(num_heads=2, key_dim=7, position=HereOnly())
        >>> x = ops.ones((3, 5, 11))
        >>> tuple(layer(x, x).shape)
        (3, 5, 11)
    """

    def build_heads(self, query_shape: tuple, value_shape: tuple) -> None:
        """Makes the weights, if there are any, for (B, H, T, K) and (B, H, S, Kv)."""

    @property
    def only_places(self) -> bool:
        """Whether it changes the first step alone."""
        steps = ("prepare", "compare", "combine")
        return all(getattr(type(self), step) is getattr(PositionScheme, step) for step in steps)

    def place(self, x: Any, start_index: Any) -> Any:
        """Queries or keys (B, H, T, K), the first of which has the index given, as they are."""
        return x

    def prepare(self, score: Any, key: Any) -> Any:
        """The part of the scores that needs placed keys alone: (B, H, S, K) -> (B, H, S, P)."""
        return score.prepare(key)

    def compare(self, score: Any, query: Any, prepared: Any, offset: Any) -> Any:
        """The scores of prepared keys: (B, H, T, K), (B, H, S, P) -> (B, H, T, S)."""
        return shared_heads(score.compare, query, prepared)

    def combine(self, weights: Any, value: Any, offset: Any) -> Any:
        """The contexts: (B, H, T, S), (B, H, S, Kv) -> (B, H, T, Kv)."""
        return shared_heads(ops.matmul, weights, value)


def shared_heads(function: Callable[[Any, Any], Any], x: Any, shared: Any) -> Any:
    """A function of each row of x and all rows of a head that several heads of x may share.

    The rows of heads that share one are put below one another, so that what they share is neither
    repeated nor read twice.

    Source: Ainslie et al. 2023, section 2.2 (grouped queries).
    Formula: `y[b, h] = function(x[b, h], shared[b, h // (H / G)])`

    Args:
        function: Takes (B, G, R, A) and shared, and gives (B, G, R, C), row by row.
        x: Tensor (B, H, T, A).
        shared: Tensor (B, G, S, E), G dividing H.

    Outputs: Tensor (B, H, T, C).

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
    """The sum of scores and what positions change of them, in float32 and finite.

    Formula: `y = scores + change`

    Args:
        scores: Tensor (..., T, S).
        change: Tensor that broadcasts to it.

    Outputs: float32 tensor (..., T, S).

    Example:
        >>> float(add_to_scores(ops.array(2.0, "float16"), ops.array(0.5)))
        2.5
    """
    return _finite(scores) + _finite(change)


def _finite(x: Any) -> Any:
    # A product that overflowed is infinite: two of them, or one and a mask, would make NaN.
    is_half = keras.backend.standardize_dtype(x.dtype) == "float16"
    x = ops.cast(x, "float32")
    return ops.clip(x, -65504.0, 65504.0) if is_half else x
