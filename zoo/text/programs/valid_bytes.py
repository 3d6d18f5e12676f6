"""Bytes of valid UTF-8: others become those of U+FFFD."""

from typing import NamedTuple

import tensorflow as tf

from zoo.text.programs.ragged import END, axis_size, columns, flattened
from zoo.text.programs.utf8 import REPLACEMENT, Decoded, decoded

_REPLACED = tuple(chr(REPLACEMENT).encode())


class ValidBytes(NamedTuple):
    """Rows of bytes, laid end to end.

    Args:
        read: What was read, before bytes were replaced.
        starts: Where the bytes at each position that was read begin now, int32 (B * (N + 1),).
        values: The bytes, with `END` before each row and for padding, int32 (B * (M + 1),).
        rows: Number of rows B.
    """

    read: Decoded
    starts: tf.Tensor
    values: tf.Tensor
    rows: tf.Tensor


def valid_bytes(text_bytes: tf.Tensor, lengths: tf.Tensor) -> ValidBytes:
    """Replaces what is not valid UTF-8 in rows of bytes, int32 (B, N) with their lengths (B,).

    Example:
        >>> valid = valid_bytes(tf.constant([[97, 0xC3]]), tf.constant([2]))
        >>> bytes(valid.values.numpy()[1:].astype("uint8")).decode()
        'a\ufffd'
    """
    rows, flat = axis_size(text_bytes, 0), flattened(text_bytes, lengths)
    read = decoded(flat)
    count = tf.where(read.valid, 1, tf.where(read.starts, len(_REPLACED), 0))
    count = tf.reshape(count, [rows, -1])
    static = count.shape.is_fully_defined()
    most = (count.shape[1] - 1) * len(_REPLACED) if static else None
    width = 1 + columns(tf.reduce_sum(count, axis=1), most)
    starts = tf.cumsum(count, axis=1) - count + (tf.range(rows)[:, None] * width + 1)
    count, starts = tf.reshape(count, [-1]), tf.reshape(starts, [-1])
    size = rows * width
    # Counted from the value of what nothing is written to.
    values = tf.zeros([size + 1], tf.int32)
    for k, replaced in enumerate(_REPLACED):
        byte = tf.where(read.valid, flat, replaced)
        written = count > k
        index = tf.where(written, starts + k, size)
        values += tf.scatter_nd(index[:, None], tf.where(written, byte - END, 0), [size + 1])
    return ValidBytes(read, starts, values[:-1] + END, rows)
