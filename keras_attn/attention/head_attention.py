"""The attention inside many heads: positions, and keys and values that heads share."""

from typing import Any

import keras
from keras import ops

from keras_attn.attention.attention import Attention
from keras_attn.attention.dot_scores import Dot, ExpDot, ScaledDot
from keras_attn.attention.learned_scores import General
from keras_attn.attention.normalizers import Normalizer, ratio, softmax
from keras_attn.attention.score import Score
from keras_attn.attention.shared_heads import shared_heads
from keras_attn.position.schemes import PositionScheme, get_position

LINEAR = (Dot, ScaledDot, General)


@keras.saving.register_keras_serializable(package="keras_attn")
class HeadAttention(Attention):
    """`Attention` of H heads of queries, whose positions it knows, over G heads of keys and values.

    Source: Vaswani et al. 2017, equation 1; shared heads: Ainslie et al. 2023, section 2.2.
    Formula: `c^h_t = sum_s w^h_ts v^g_s` with `w^h_ts = normalizer_s(score(q^h_t, k^g_s))` and
    `g = h // (H / G)`, where the position scheme may change each of the three

    Args:
        score: As that of `Attention`.
        normalizer: As that of `Attention`.
        dropout: As that of `Attention`.
        position: Name of a position scheme, a `PositionScheme`, or None.

    Inputs: Those of `prepare` and `attend`.
    Outputs: Those of `attend`.

    Raises:
        ValueError: As `Attention` does, or if position is unknown.

    Example:
        >>> layer = HeadAttention(position="alibi")
        >>> query, value = ops.ones((3, 4, 5, 13)), ops.ones((3, 2, 7, 13))
        >>> context, weights = layer.attend(query, layer.prepare(value), value)
        >>> tuple(context.shape), tuple(weights.shape)
        ((3, 4, 5, 13), (3, 4, 5, 7))
    """

    def __init__(
        self,
        score: Any = "scaled_dot",
        normalizer: Any = "softmax",
        dropout: float = 0.0,
        position: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(score, normalizer, dropout, **kwargs)
        self.position = get_position(position, dtype=self.dtype_policy)
        self._position_name = position if isinstance(position, str) else None
        # Shares of exponentials are a softmax, and the softmax does not overflow.
        in_logs = isinstance(self.score, ExpDot) and self.normalizer is ratio
        self._normalize: Normalizer = softmax if in_logs else self.normalizer
        self._compare = HeadScore(self.score, in_logs)

    def build(self, query_shape: tuple, value_shape: tuple, key_shape: tuple | None = None) -> None:
        super().build(query_shape, value_shape, key_shape)
        self.position.build_heads(query_shape, value_shape)

    def prepare(self, key: Any, start_index: Any = 0) -> Any:
        """What positions and score need of the keys alone.

        Args:
            key: Tensor (B, G, S, K).
            start_index: Index of the first of them, an integer or a scalar tensor.

        Outputs: Tensor (B, G, S, P), for `attend`.
        """
        placed = self.position.place(ops.cast(key, self.compute_dtype), start_index)
        return self.position.prepare(self._compare, placed)

    def attend(
        self,
        query: Any,
        prepared: Any,
        value: Any,
        mask: Any = None,
        training: bool | None = None,
        start_index: Any = 0,
    ) -> tuple[Any, Any]:
        """Attention over prepared keys, the first of which has index 0.

        Args:
            query: Tensor (B, H, T, K).
            prepared: Tensor (B, G, S, P) that `prepare` gave.
            value: Tensor (B, G, S, Kv).
            mask: Bool tensor that broadcasts to (B, H, T, S); True takes part.
            training: Whether to drop weights.
            start_index: Index of the first query, an integer or a scalar tensor.

        Outputs: Contexts (B, H, T, Kv) and weights (B, H, T, S), those before dropout.
        """
        position, dtype = self.position, self.compute_dtype
        query = position.place(ops.cast(query, dtype), start_index)
        scores = position.compare(self._compare, query, prepared, start_index)
        weights = ops.cast(self._normalize(scores, mask), dtype)
        dropped = self._dropout_layer(weights, training=training)
        return position.combine(dropped, ops.cast(value, dtype), start_index), weights

    def get_config(self) -> dict[str, Any]:
        position = self._position_name
        if position is None and type(self.position) is not PositionScheme:
            position = keras.saving.serialize_keras_object(self.position)
        return {**super().get_config(), "position": position}


class HeadScore:
    """A score as position schemes see it: `prepare` and `compare`, whichever heads share keys.

    Source: Ainslie et al. 2023, section 2.2.
    Formula: `y[b, h, t, s] = a(query[b, h, t], key[b, h // (H / G), s])`, or its logarithm

    Args:
        score: The score.
        in_logs: Whether to compare by `compare_log`.

    Example:
        >>> score = HeadScore(Dot())
        >>> query, key = ops.ones((3, 4, 5, 13)), ops.ones((3, 2, 7, 13))
        >>> tuple(score.compare(query, score.prepare(key)).shape), score.is_linear
        ((3, 4, 5, 7), True)
    """

    def __init__(self, score: Score, in_logs: bool = False) -> None:
        self.prepare = score.prepare
        self._compare = score.compare_log if in_logs else score.compare
        # Whether a(q, k + w) = a(q, k) + a(q, w).
        self.is_linear = in_logs or type(score) in LINEAR

    def compare(self, query: Any, prepared: Any) -> Any:
        """The scores of prepared keys: (B, H, T, K), (B, G, S, P) -> (B, H, T, S)."""
        return shared_heads(self._compare, query, prepared)
