"""The scores of Keras's attention layers without projections."""

from typing import Any

from keras import ops

SCORE_MODES = ("dot", "concat", "additive")


class ScoreMode:
    """Score of `keras.layers.Attention` or `keras.layers.AdditiveAttention`.

    It has the two steps of a `Score`, but its weights, if any, are those of the attention layer,
    where Keras has them.

    Source: Luong et al. 2015, section 3.1; Bahdanau et al. 2015, with weights on each feature only.
    Formula: `a(q, k) = s q . k` (dot), `a(q, k) = c sum_d tanh(s (q_d + k_d))` (concat) or
        `a(q, k) = sum_d s_d tanh(q_d + k_d)` (additive)

    Args:
        mode: "dot", "concat" or "additive".
        scale: Weight s, () or with "additive" (D,); None stands for 1.
        factor: Weight c, ().

    Example:
        >>> mode = ScoreMode("dot", scale=2.0)
        >>> tuple(mode.compare(ops.ones((3, 5, 11)), ops.ones((3, 7, 11))).shape)
        (3, 5, 7)
    """

    needs_equal_widths = True
    can_be_negative = True

    def __init__(self, mode: str, scale: Any = None, factor: Any = None) -> None:
        self.mode = mode
        self.scale = scale
        self.factor = factor

    def prepare(self, key: Any) -> Any:
        """Returns the keys (..., S, D) as they are."""
        return key

    def compare(self, query: Any, prepared: Any) -> Any:
        """Computes the scores: queries (..., T, D), keys (..., S, D) to (..., T, S)."""
        prepared = ops.cast(prepared, query.dtype)
        scale = 1.0 if self.scale is None else ops.cast(self.scale, query.dtype)
        if self.mode == "dot":
            return ops.matmul(query * scale, ops.swapaxes(prepared, -1, -2))
        pairs = ops.expand_dims(query, -2) + ops.expand_dims(prepared, -3)
        if self.mode == "additive":
            return ops.sum(scale * ops.tanh(pairs), axis=-1)
        return ops.cast(self.factor, query.dtype) * ops.sum(ops.tanh(scale * pairs), axis=-1)
