"""Single-head attention."""

from typing import Any

import keras
from keras import ops

from keras_attn.attention.arguments import check_dropout
from keras_attn.attention.normalizers import get_normalizer, serialize_normalizer
from keras_attn.attention.scores import get_score, without_overflow
from keras_attn.dropout import Dropout
from keras_attn.functional.masks import merge_attention_masks


@keras.saving.register_keras_serializable(package="keras_attn")
class Attention(keras.layers.Layer):
    """Single-head attention with a choice of scores and normalizers, without projections.

    The context of a query is the weighted mean of the values. A query that can attend to no
    position gets zero attention weights and a zero context.

    Source: Bahdanau et al. 2015, equations 5 and 6; Luong et al. 2015; Vaswani et al. 2017.
    Formula: `c_t = sum_s w_ts v_s` with `w_ts = normalizer_s(score(q_t, k_s))`

    Args:
        score: Attention score: "dot", "scaled_dot", "exp_dot", "general", "additive", "concat",
            "cosine", or a `Score` layer.
        normalizer: Function that turns the scores of a query into attention weights: "softmax",
            "ratio", "sparsemax", "entmax15", "sigmoid", or a function `(scores, mask, axis)`.
        dropout: Dropout rate of the attention weights.

    Inputs: `query` (B, T, D), `value` (B, S, Dv), and `key` (B, S, Dk), which defaults to `value`.
        Masks are True for positions to attend to: `attention_mask` broadcasts to (B, T, S);
        `query_mask` (B, T), `value_mask` (B, S) and `key_mask` (B, S) default to Keras's implicit
        masks; `use_causal_mask` masks future positions. All masks are combined.
    Outputs: Contexts (B, T, Dv); with `return_attention_scores` also the attention weights
        (B, T, S).

    Raises:
        ValueError: If `score` or `normalizer` is unknown, or `dropout` is not in [0, 1).

    Example:
        >>> layer = Attention(score="additive", normalizer="entmax15")
        >>> query, value = ops.ones((3, 5, 11)), ops.ones((3, 7, 2))
        >>> context, weights = layer(query, value, return_attention_scores=True)
        >>> tuple(context.shape), tuple(weights.shape)
        ((3, 5, 2), (3, 5, 7))
    """

    def __init__(
        self,
        score: Any = "scaled_dot",
        normalizer: Any = "softmax",
        dropout: float = 0.0,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        check_dropout(dropout)
        self.score = get_score(score, dtype=self.dtype_policy)
        self.normalizer = get_normalizer(normalizer)
        self.dropout = dropout
        self.supports_masking = True
        self._score_name = score if isinstance(score, str) else None
        self._dropout_layer = Dropout(dropout, dtype=self.dtype_policy)

    def build(self, query_shape: tuple, value_shape: tuple, key_shape: tuple | None = None) -> None:
        if not self.score.built:  # a loaded score layer is built already
            self.score.build(query_shape, value_shape if key_shape is None else key_shape)

    def call(
        self,
        query: Any,
        value: Any,
        key: Any = None,
        attention_mask: Any = None,
        use_causal_mask: bool = False,
        return_attention_scores: bool = False,
        training: bool | None = None,
        query_mask: Any = None,
        value_mask: Any = None,
        key_mask: Any = None,
    ) -> Any:
        mask = merge_attention_masks(
            query, value, attention_mask, use_causal_mask, query_mask, value_mask, key_mask
        )
        prepared = self.prepare(value if key is None else key)
        context, weights = self.attend(query, prepared, value, mask, training)
        return (context, weights) if return_attention_scores else context

    def prepare(self, key: Any) -> Any:
        """Computes the part of the scores that needs only the keys.

        A decoding loop calls it once, and then `attend` in every step.

        Args:
            key: Keys (..., S, Dk).

        Returns:
            Prepared keys (..., S, P), for `attend`.
        """
        return self.score.prepare(ops.cast(key, self.compute_dtype))

    def attend(
        self, query: Any, prepared: Any, value: Any, mask: Any = None, training: bool | None = None
    ) -> tuple[Any, Any]:
        """Computes attention over prepared keys.

        Args:
            query: Queries (..., T, D). Leading axes, such as batch and heads, are free.
            prepared: Prepared keys (..., S, P), the result of `prepare`.
            value: Values (..., S, Dv).
            mask: Bool tensor that broadcasts to (..., T, S), True for positions to attend to.
            training: Whether to apply dropout.

        Returns:
            The contexts (..., T, Dv), and the attention weights (..., T, S) before dropout.
        """
        query, value = ops.cast(query, self.compute_dtype), ops.cast(value, self.compute_dtype)
        score, normalize = without_overflow(self.score, self.normalizer)
        scores = score.compare(query, prepared)
        weights = ops.cast(normalize(scores, mask), self.compute_dtype)
        return ops.matmul(self._dropout_layer(weights, training=training), value), weights

    def get_config(self) -> dict[str, Any]:
        config = {
            "score": self._score_name or keras.saving.serialize_keras_object(self.score),
            "normalizer": serialize_normalizer(self.normalizer),
            "dropout": self.dropout,
        }
        return {**super().get_config(), **config}
