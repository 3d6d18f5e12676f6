"""How far apart queries and keys are, and tables of queries by distance in place of by key.

A table by distance has T + S + 1 columns; column c is of the distance c - T - offset. Both
tables below hold the same numbers: each row is the row above, moved by one.
"""

from typing import Any

from keras import ops


def distances(query_length: Any, key_length: Any, offset: Any = 0) -> Any:
    """How many positions after each query each key is; negative for the past.

    Source: Shaw et al. 2018, section 3.2, whose `j - i` this is.
    Formula: `y[t, s] = s - (t + offset)`

    Args:
        query_length: Number of queries T, an integer or a scalar tensor.
        key_length: Number of keys S, the same.
        offset: Index of the first query less that of the first key, the same.

    Outputs: int32 tensor (T, S).

    Example:
        >>> ops.convert_to_numpy(distances(2, 3)).tolist()
        [[0, 1, 2], [-1, 0, 1]]
    """
    keys = ops.arange(key_length, dtype="int32")
    queries = ops.arange(query_length, dtype="int32") + ops.cast(offset, "int32")
    return ops.expand_dims(keys, 0) - ops.expand_dims(queries, 1)


def by_key(x: Any, query_length: Any, key_length: Any) -> Any:
    """From what each query has for each distance to what it has for each key.

    Source: Huang et al. 2019, section 3.4.1, whose skewing this is.
    Formula: `y[t, s] = x[t, s - t + T]`

    Args:
        x: Tensor (B, H, T, T + S + 1).
        query_length: Number of queries T, an integer or a scalar tensor.
        key_length: Number of keys S, the same.

    Outputs: Tensor (B, H, T, S).

    Example:
        >>> x = ops.reshape(ops.arange(12), (1, 1, 2, 6))
        >>> ops.convert_to_numpy(by_key(x, 2, 3)).tolist()
        [[[[2, 3, 4], [7, 8, 9]]]]
    """
    batch, heads = ops.shape(x)[:2]
    size = query_length * (query_length + key_length)
    x = ops.reshape(x, (batch, heads, size + query_length))
    x = ops.slice(x, (0, 0, query_length), (batch, heads, size))
    x = ops.reshape(x, (batch, heads, query_length, query_length + key_length))
    return ops.slice(x, (0, 0, 0, 0), (batch, heads, query_length, key_length))


def by_distance(x: Any, query_length: Any, key_length: Any) -> Any:
    """From what each query has for each key to what it has for each distance, 0 where no key is.

    Source: Huang et al. 2019, section 3.4.1, the other way round.
    Formula: `y[t, s - t + T] = x[t, s]`

    Args:
        x: Tensor (B, H, T, S).
        query_length: Number of queries T, an integer or a scalar tensor.
        key_length: Number of keys S, the same.

    Outputs: Tensor (B, H, T, T + S + 1).

    Example:
        >>> x = ops.reshape(ops.arange(6), (1, 1, 2, 3))
        >>> ops.convert_to_numpy(by_distance(x, 2, 3)).tolist()
        [[[[0, 0, 0, 1, 2, 0], [0, 3, 4, 5, 0, 0]]]]
    """
    batch, heads = ops.shape(x)[:2]
    right = ops.zeros((batch, heads, query_length, query_length), x.dtype)
    x = ops.concatenate([x, right], axis=-1)
    x = ops.reshape(x, (batch, heads, query_length * (query_length + key_length)))
    x = ops.concatenate([ops.zeros((batch, heads, query_length), x.dtype), x], axis=-1)
    return ops.reshape(x, (batch, heads, query_length, query_length + key_length + 1))
