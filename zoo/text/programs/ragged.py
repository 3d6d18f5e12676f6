"""Rows of different lengths, laid end to end in one vector."""

from typing import Any

import tensorflow as tf

from zoo.text.programs.repeated import repeated

# Where a byte is expected:
END = 256  # stands before each row, and for padding
BOUNDARY = 257  # begins a part of a row that is read as a text of its own; see `parts.py`


def flattened(text_bytes: tf.Tensor, lengths: tf.Tensor) -> tf.Tensor:
    """Lays padded rows end to end, each with `END` before it.

    Args:
        text_bytes: Bytes as int32 (B, N).
        lengths: Number of bytes of each row, int32 (B,).

    Returns:
        int32 (B * (N + 1),), with `END` instead of padding.

    Example:
        >>> flattened(tf.constant([[97, 98], [99, 0]]), tf.constant([2, 1])).numpy().tolist()
        [256, 97, 98, 256, 99, 256]
    """
    inside = tf.range(tf.shape(text_bytes)[1]) < lengths[:, None]
    begun = tf.pad(tf.where(inside, text_bytes, END), [[0, 0], [1, 0]], constant_values=END)
    return tf.reshape(begun, [-1])


def to_int(flags: tf.Tensor) -> tf.Tensor:
    """Booleans as int32."""
    return tf.cast(flags, tf.int32)


def axis_size(x: tf.Tensor, axis: int) -> Any:
    """The size of an axis: a number if it is static."""
    static = x.shape[axis]
    return tf.shape(x)[axis] if static is None else static


def row_width(flat: tf.Tensor, rows: Any) -> Any:
    """Number of columns of rows that are laid end to end: a number if it is static."""
    if flat.shape[0] is None or not isinstance(rows, int):
        return tf.size(flat) // tf.maximum(rows, 1)
    return flat.shape[0] // max(rows, 1)


def columns(counts: tf.Tensor, most: int | None) -> Any:
    """Number of columns for rows of different lengths.

    It is that of the longest row. In a graph whose sizes are static, it is the greatest possible
    one, for runtimes that take no other sizes.

    Args:
        counts: Number of values of each row (B,).
        most: The greatest possible number; None if it is not static.
    """
    if most is not None and not tf.executing_eagerly():
        return most
    return tf.reduce_max(tf.pad(counts, [[0, 1]]))


def packed(
    values: tf.Tensor, kept: tf.Tensor, rows: Any, fill: int, length: Any = None
) -> tuple[tf.Tensor, tf.Tensor]:
    """Moves the kept values of each row to its beginning.

    Args:
        values: int32 (B * N,).
        kept: Which of them to keep, bool (B * N,).
        rows: Number of rows B.
        fill: Value of padding.
        length: Number of columns L, not less than the longest row needs; see `columns` for the
            default.

    Returns:
        The values (B, L), and how many each row has (B,).

    Example:
        >>> flags = tf.constant([False, True, True, True, False, False])
        >>> moved, counts = packed(tf.range(6), flags, rows=2, fill=-1)
        >>> moved.numpy().tolist(), counts.numpy().tolist()
        ([[1, 2], [3, -1]], [2, 1])
    """
    flags = tf.reshape(to_int(kept), [rows, -1])
    target = tf.cumsum(flags, axis=1) - flags
    counts = tf.reduce_sum(flags, axis=1)
    if length is None:
        length = columns(counts, flags.shape[1] if flags.shape.is_fully_defined() else None)
    # One column at least, until the end: ONNX takes a size 0 in a new shape for the old size.
    width = max(length, 1) if isinstance(length, int) else tf.maximum(length, 1)
    first = tf.range(rows)[:, None] * width
    target = tf.where(flags > 0, first + target, rows * width)
    moved = tf.scatter_nd(tf.reshape(target, [-1, 1]), values, [rows * width + 1])
    moved = tf.reshape(moved[:-1], [rows, width])
    moved = tf.where(tf.range(width) < counts[:, None], moved, fill)
    return moved if isinstance(length, int) and length else moved[:, :length], counts


def reached(begins: tf.Tensor, steps: tf.Tensor, passable: tf.Tensor) -> tf.Tensor:
    """The positions of chains that follow steps.

    Each round follows twice as many steps at once, until one finds nothing new.

    Args:
        begins: Where chains begin, bool (M,).
        steps: The number of positions from each to the next one of its chain, at least 1, (M,).
        passable: Positions that are not the end of a chain, bool (M,).

    Example:
        >>> begins = tf.constant([True, False, False, False, True, False])
        >>> steps, passable = tf.constant([2, 9, 1, 3, 1, 7]), tf.constant([True] * 5 + [False])
        >>> reached(begins, steps, passable).numpy().astype(int).tolist()
        [1, 0, 1, 1, 1, 0]
    """
    size = tf.size(begins)
    target = tf.where(begins | passable, tf.minimum(tf.range(size) + steps, size), size)
    target = tf.concat([target, [size]], axis=0)
    visited, passable = tf.pad(begins, [[0, 1]]), tf.pad(passable, [[0, 1]])

    def continues(_visited: tf.Tensor, _target: tf.Tensor, more: tf.Tensor) -> tf.Tensor:
        return more

    def body(visited: tf.Tensor, target: tf.Tensor, _: tf.Tensor) -> tuple:
        targets = tf.where(visited, target, size)
        hits = tf.scatter_nd(targets[:, None], tf.ones_like(targets), [size + 1])
        new = (hits > 0) & passable & ~visited
        return visited | new, tf.gather(target, target), tf.reduce_any(new)

    most = None if begins.shape[0] is None else begins.shape[0].bit_length() + 1
    visited, _, _ = repeated(continues, body, (visited, target, tf.constant(True)), most)
    return visited[:-1]
