"""Linear attention: the attention weights are products of features, summed over the keys first.

The sums of the values and the sum of the weights, which normalizes them, are kept in one tensor
(B, H, M, Kv + 1): a constant one is appended to each value.
"""

from typing import Any

from keras import ops

from keras_attn.functional.masks import causal_mask

# Number of positions in a chunk. Causal attention uses a small matrix of weights within a chunk,
# and one sum for everything before it. The number of operations is lowest if a chunk has about as
# many positions as a head has features.
CHUNK = 64
# Sums of weights below this count as zero; its inverse is still a finite float32 number.
TINY = 1e-36


def linear_attention(query: Any, key: Any, value: Any) -> Any:
    """Attention whose weights are the dot products of query and key features.

    Source: Katharopoulos et al. 2020, equations 5 and 6.
    Formula: `c_t = sum_s (q_t . k_s) v_s / sum_s (q_t . k_s)`

    Args:
        query: Non-negative features (B, H, T, M).
        key: Non-negative features (B, H, S, M), zeros at masked positions.
        value: Tensor (B, H, S, Kv).

    Returns:
        Contexts (B, H, T, Kv); zeros if all weights are zero.

    Example:
        >>> key = value = ops.reshape(ops.array([1.0, 3.0]), (1, 1, 2, 1))
        >>> float(linear_attention(ops.ones((1, 1, 1, 1)), key, value)[0, 0, 0, 0])
        2.5
    """
    return read_sums(query, sum_products(key, value))


def sum_products(key: Any, value: Any) -> Any:
    """Computes `sum_s k_s [v_s 1]`: (..., S, M) and (..., S, Kv) to (..., M, Kv + 1)."""
    if key.shape[-2] == 1:  # one step of decoding
        return ops.expand_dims(ops.squeeze(key, -2), -1) * _with_one(value)
    return ops.matmul(ops.swapaxes(key, -1, -2), _with_one(value))


def read_sums(query: Any, sums: Any) -> Any:
    """Computes contexts from queries and sums: (..., T, M), (..., M, Kv + 1) to (..., T, Kv)."""
    return _divide(ops.matmul(query, sums))


def causal_linear_attention(query: Any, key: Any, value: Any, earlier: Any = None) -> Any:
    """Causal `linear_attention`: each query attends to the keys up to its own position.

    One sum is stored per chunk instead of per position: this takes O(n Kv) memory if a chunk has as
    many positions as there are features.

    Source: Katharopoulos et al. 2020, equations 9 and 10; chunks: Hua et al. 2022, section 3.2.
    Formula: `c_t = sum_{s<=t} (q_t . k_s) v_s / sum_{s<=t} (q_t . k_s)`

    Args:
        query: Non-negative features (B, H, T, M).
        key: Non-negative features (B, H, T, M), zeros at masked positions.
        value: Tensor (B, H, T, Kv).
        earlier: Sums (B, H, M, Kv + 1) over the keys before these, from `sum_products`. Defaults
            to zeros.

    Returns:
        Contexts (B, H, T, Kv); zeros if all weights are zero.

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
    if earlier is not None:
        before = before + ops.reshape(earlier, (batch * heads, 1, *earlier.shape[2:]))
    square = ops.matmul(query, ops.swapaxes(key, -1, -2))
    square = square * ops.cast(causal_mask(CHUNK), square.dtype)
    contexts = _divide(ops.matmul(query, before) + ops.matmul(square, _with_one(value)))
    contexts = ops.reshape(contexts, (batch, heads, chunks * CHUNK, value.shape[-1]))
    return contexts[:, :, :length]


def _with_one(value: Any) -> Any:
    no_change = ((0, 0),) * (len(value.shape) - 1)
    return ops.pad(value, (*no_change, (0, 1)), constant_values=1.0)


def _divide(sums: Any) -> Any:
    """Divides the sums of values by the last column, the sum of weights: (..., Kv)."""
    values, weight = ops.split(sums, [sums.shape[-1] - 1], axis=-1)
    is_seen = weight > TINY
    values, weight = ops.where(is_seen, values, 0.0), ops.where(is_seen, weight, 1.0)
    # Scales both: the gradient of a division squares the divisor, which could underflow float32.
    scale = ops.stop_gradient(1.0 / weight)
    return (values * scale) / (weight * scale)
