"""Learned relative position embeddings."""

import math
from typing import Any, ClassVar

import keras
from keras import ops

from keras_attn.attention.scores import is_linear
from keras_attn.position.distances import by_distance, by_key, distances
from keras_attn.position.scheme import PositionScheme, add_to_scores


@keras.saving.register_keras_serializable(package="keras_attn")
class ShawPositions(PositionScheme):
    """Learned embeddings of the relative distance, added to each key and each value.

    All heads share the embeddings. Pass it to `MultiHeadAttention(position=...)`; called directly,
    it returns its contributions to the scores and to the contexts. If the score function is linear
    in the key, it is evaluated once per distance instead of once per pair of query and key; any
    other score function needs a tensor (B, H, T, S, K).

    Source: Shaw et al. 2018, equations 3 to 5.
    Formula: `c_t = sum_s (v_s + w^v_d) softmax_s a(k_s + w^k_d, q_t)`, where the distance
        `d = s - t` is clipped to +-max_distance

    Args:
        max_distance: Largest distance M that has its own embedding, in either direction.

    Inputs: `query` (B, H, T, K), `weights` (B, H, T, S), `value` (B, H, S, Kv), and optionally
        `start_index`, the position of the first query, an integer or a scalar tensor; the first key
        is at position 0. Weights of the layer: w^k (2 M + 1, K), w^v (2 M + 1, Kv).
    Outputs: The term added to the scores, `q_t . w^k_d` (B, H, T, S), and the contexts
        `sum_s weights_ts (v_s + w^v_d)` (B, H, T, Kv).

    Raises:
        ValueError: If `max_distance` is not positive.

    Example:
        >>> from keras import ops
        >>> from keras_attn import ShawPositions
        >>> layer = ShawPositions(max_distance=2)
        >>> query, weights, value = (ops.ones((3, 2, *x)) for x in ((5, 13), (5, 7), (7, 11)))
        >>> [tuple(y.shape) for y in layer(query, weights, value)]
        [(3, 2, 5, 7), (3, 2, 5, 11)]
    """

    axes: ClassVar[dict[str, str]] = {"query": "B H T K", "weights": "B H T S", "value": "B H S Kv"}

    def __init__(self, max_distance: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        if max_distance < 1:
            raise ValueError(f"max_distance must be a positive integer; received {max_distance!r}.")
        self.max_distance = max_distance

    def build(self, query_shape: tuple, weights_shape: tuple | None, value_shape: tuple) -> None:
        rows = 2 * self.max_distance + 1
        self._widths = {"query": query_shape[-1], "value": value_shape[-1]}
        self.key_embeddings, self.value_embeddings = (
            self.add_weight((rows, shape[-1]), "glorot_uniform", name=name)
            for name, shape in (("key_embeddings", query_shape), ("value_embeddings", value_shape))
        )

    def build_heads(self, query_shape: tuple, value_shape: tuple) -> None:
        if not self.built:  # a layer loaded from a file is already built
            self.build(query_shape, None, value_shape)

    def call(self, query: Any, weights: Any, value: Any, start_index: Any = 0) -> Any:
        sizes = ops.shape(weights)[-2:]
        rows = self._rows(self.key_embeddings, sizes, start_index, query.dtype)
        change = by_key(_times(query, ops.transpose(rows)), *sizes)
        return change, self.combine(weights, value, start_index)

    def prepare(self, score: Any, key: Any) -> Any:
        # A score function that is not linear needs every sum of a key and an embedding.
        return super().prepare(score, key) if is_linear(score) else key

    def compare(self, score: Any, query: Any, prepared: Any, offset: Any) -> Any:
        sizes = (ops.shape(query)[-2], ops.shape(prepared)[-2])
        if not is_linear(score):
            return self._compare_each(score, query, prepared, *sizes, offset)
        rows = self._rows(self.key_embeddings, sizes, offset, query.dtype)
        # All queries share the same rows, so this is one product of two matrices.
        queries = ops.reshape(query, (1, 1, -1, query.shape[-1]))
        rows = ops.expand_dims(ops.expand_dims(score.prepare(rows), 0), 0)
        change = ops.reshape(score.compare(queries, rows), (*ops.shape(query)[:-1], sum(sizes, 1)))
        scores = super().compare(score, query, prepared, offset)
        return add_to_scores(scores, by_key(change, *sizes))

    def combine(self, weights: Any, value: Any, offset: Any) -> Any:
        sizes = ops.shape(weights)[-2:]
        rows = self._rows(self.value_embeddings, sizes, offset, value.dtype)
        change = _times(by_distance(weights, *sizes), rows)
        return super().combine(weights, value, offset) + change

    def _rows(self, table: Any, sizes: tuple, offset: Any, dtype: Any) -> Any:
        """Embeddings of the distances from -(T + offset) to S - offset, (T + S + 1, K)."""
        queries, keys = sizes
        distance = ops.arange(queries + keys + 1, dtype="int32") - queries
        return self._vectors(table, distance - ops.cast(offset, "int32"), dtype)

    def _vectors(self, table: Any, distance: Any, dtype: Any) -> Any:
        row = ops.clip(distance, -self.max_distance, self.max_distance) + self.max_distance
        return ops.take(ops.cast(table, dtype), row, axis=0)

    def _compare_each(
        self, score: Any, query: Any, key: Any, queries: Any, keys: Any, offset: Any
    ) -> Any:
        """Computes `a(k_s + w^k_d, q_t)` for each pair, as B H T batches of one query."""
        batch, heads, _, width = ops.shape(query)
        vectors = self._vectors(self.key_embeddings, distances(queries, keys, offset), query.dtype)
        key = ops.repeat(key, heads // key.shape[1], axis=1)
        key, many = ops.expand_dims(key, 2) + vectors, batch * heads * queries
        prepared = score.prepare(ops.reshape(key, (many, 1, keys, width)))
        scores = score.compare(ops.reshape(query, (many, 1, 1, width)), prepared)
        return ops.reshape(scores, (batch, heads, queries, keys))

    def compute_output_shape(
        self, query_shape: tuple, weights_shape: tuple, value_shape: tuple
    ) -> tuple:
        return weights_shape, (*weights_shape[:-1], value_shape[-1])

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "max_distance": self.max_distance}


def _times(x: Any, matrix: Any) -> Any:
    """Computes (..., L) times (L, M) as one product of two matrices; works with unknown sizes."""
    *leading, width = ops.shape(x)
    y = ops.matmul(ops.reshape(x, (math.prod(leading), width)), matrix)
    return ops.reshape(y, (*leading, ops.shape(matrix)[-1]))
