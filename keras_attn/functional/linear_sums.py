"""Attention whose weights are products of features: sums over the keys, read by the queries.

The value sums and the sum of the weights, which divides them, are one tensor (B, H, M, Kv + 1):
each value has a one beside it.
"""

from typing import Any

from keras import ops

from keras_attn.functional.masks import causal_mask

# Positions of one chunk: within it, causal attention is a small square of weights, and before it
# one sum. As many as a head has features, about, takes the fewest operations.
CHUNK = 64
# Weights below this sum to nothing; its inverse is still a float32 number.
TINY = 1e-36


def linear_attention(query: Any, key: Any, value: Any) -> Any:
    """Each query's mean of the values, weighted by the product of its features with the keys'.

    Source: Katharopoulos et al. 2020, equations 5 and 6.
    Formula: `c_t = sum_s (q_t . k_s) v_s / sum_s (q_t . k_s)`

    Args:
        query: Features (B, H, T, M), none negative.
        key: Features (B, H, S, M), none negative, zeros where masked.
        value: Tensor (B, H, S, Kv).

    Outputs: Contexts (B, H, T, Kv); zeros where all weights are zero.

    Example:
        >>> key = value = ops.reshape(ops.array([1.0, 3.0]), (1, 1, 2, 1))
        >>> float(linear_attention(ops.ones((1, 1, 1, 1)), key, value)[0, 0, 0, 0])
        2.5
    """
    return read_sums(query, sum_products(key, value))


def sum_products(key: Any, value: Any) -> Any:
    """`sum_s k_s [v_s 1]`: features (..., S, M), values (..., S, Kv) -> (..., M, Kv + 1)."""
    return ops.matmul(ops.swapaxes(key, -1, -2), _with_one(value))


def read_sums(query: Any, sums: Any) -> Any:
    """What a query makes of the sums: (..., T, M), (..., M, Kv + 1) -> (..., T, Kv)."""
    return _divide(ops.matmul(query, sums))


def causal_linear_attention(query: Any, key: Any, value: Any) -> Any:
    """`linear_attention` of each query over the keys up to its own position.

    Source: Katharopoulos et al. 2020, equations 9 and 10; the chunks: Hua et al. 2022, section 3.2.
    Formula: `c_t = sum_{s<=t} (q_t . k_s) v_s / sum_{s<=t} (q_t . k_s)`

    A sum is kept for each chunk, not for each position: O(n Kv) memory for as many features as a
    chunk has positions.

    Args:
        query: Features (B, H, T, M), none negative.
        key: Features (B, H, T, M), none negative, zeros where masked.
        value: Tensor (B, H, T, Kv).

    Outputs: Contexts (B, H, T, Kv); zeros where all weights are zero.

    Example:
        >>> key = value = ops.reshape(ops.array([1.0, 3.0]), (1, 1, 2, 1))
        >>> contexts = causal_linear_attention(ops.ones((1, 1, 2, 1)), key, value)
        >>> ops.convert_to_numpy(contexts).ravel().tolist()
        [1.0, 2.5]
    """
    batch, heads, length = ops.shape(query)[:3]
    chunks = (length + CHUNK - 1) // CHUNK
    room = ((0, 0), (0, 0), (0, chunks * CHUNK - length), (0, 0))

    def in_chunks(x):  # (B, H, T, F) -> (B * H, chunks, CHUNK, F)
        return ops.reshape(ops.pad(x, room), (batch * heads, chunks, CHUNK, x.shape[-1]))

    query, key, value = in_chunks(query), in_chunks(key), in_chunks(value)
    sums = sum_products(key, value)
    before = ops.cumsum(ops.pad(sums, ((0, 0), (1, 0), (0, 0), (0, 0)))[:, :-1], axis=1)
    square = ops.matmul(query, ops.swapaxes(key, -1, -2))
    square = square * ops.cast(causal_mask(CHUNK), square.dtype)
    contexts = _divide(ops.matmul(query, before) + ops.matmul(square, _with_one(value)))
    contexts = ops.reshape(contexts, (batch, heads, chunks * CHUNK, value.shape[-1]))
    return contexts[:, :, :length]


def _with_one(value: Any) -> Any:
    no_change = ((0, 0),) * (len(value.shape) - 1)
    return ops.pad(value, (*no_change, (0, 1)), constant_values=1.0)


def _divide(sums: Any) -> Any:
    """The value sums over the weight sum beside them: (..., Kv + 1) -> (..., Kv)."""
    values, weight = ops.split(sums, [sums.shape[-1] - 1], axis=-1)
    is_seen = weight > TINY
    values, weight = ops.where(is_seen, values, 0.0), ops.where(is_seen, weight, 1.0)
    # Both scaled alike: the gradient of a division squares the divisor, which might leave float32.
    scale = ops.stop_gradient(1.0 / weight)
    return (values * scale) / (weight * scale)
