"""Relative distances between queries and keys, and tables by distance or by key.

A table by distance has T + S + 1 columns; column c belongs to the distance c - T - offset. The two
functions that convert between the tables shift each row by one relative to the row above.
"""

from typing import Any

from keras import ops


def distances(query_length: Any, key_length: Any, offset: Any = 0) -> Any:
    """The distance from each query to each key, negative for past keys.

    Source: Shaw et al. 2018, section 3.2 (`j - i` in the paper).
    Formula: `y[t, s] = s - (t + offset)`

    Args:
        query_length: Number of queries T, an integer or a scalar tensor.
        key_length: Number of keys S, an integer or a scalar tensor.
        offset: Position of the first query minus that of the first key, an integer or a scalar
            tensor.

    Returns:
        int32 tensor (T, S).

    Example:
        >>> ops.convert_to_numpy(distances(2, 3)).tolist()
        [[0, 1, 2], [-1, 0, 1]]
    """
    keys = ops.arange(key_length, dtype="int32")
    queries = ops.arange(query_length, dtype="int32") + ops.cast(offset, "int32")
    return ops.expand_dims(keys, 0) - ops.expand_dims(queries, 1)


def by_key(x: Any, query_length: Any, key_length: Any) -> Any:
    """Converts a table by distance to a table by key.

    Source: Huang et al. 2019, section 3.4.1 ("skewing").
    Formula: `y[t, s] = x[t, s - t + T]`

    Args:
        x: Tensor (B, H, T, T + S + 1).
        query_length: Number of queries T, an integer or a scalar tensor.
        key_length: Number of keys S, an integer or a scalar tensor.

    Returns:
        Tensor (B, H, T, S).

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
    """Converts a table by key to a table by distance, with zeros at distances without a key.

    Source: Huang et al. 2019, section 3.4.1, in the other direction.
    Formula: `y[t, s - t + T] = x[t, s]`

    Args:
        x: Tensor (B, H, T, S).
        query_length: Number of queries T, an integer or a scalar tensor.
        key_length: Number of keys S, an integer or a scalar tensor.

    Returns:
        Tensor (B, H, T, T + S + 1).

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
