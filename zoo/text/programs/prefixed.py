"""A space before texts that begin with none."""

import tensorflow as tf

from zoo.text.programs.program import Encode
from zoo.text.programs.ragged import BOUNDARY, END, axis_size, packed


class WithPrefix:
    """Encodes texts, and parts of rows, with a space before each that begins with none.

    Args:
        encode: Encodes texts; see `TokenizerProgram`.
    """

    def __init__(self, encode: Encode) -> None:
        self._encode = encode

    def __call__(self, text_bytes: tf.Tensor, lengths: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        """Converts rows of UTF-8 to ids; see `TokenizerProgram`."""
        return self._encode(*prefixed(text_bytes, lengths))


def prefixed(text_bytes: tf.Tensor, lengths: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    """Puts a space before each text, and each part, that is not empty and begins with none.

    Args:
        text_bytes: Texts in UTF-8, int32 (B, N); see `zoo.text.programs.parts`.
        lengths: Number of bytes of each (B,).

    Example:
        >>> row, counts = prefixed(tf.constant([[97, 98, 0], [32, 98, 0]]), tf.constant([2, 2]))
        >>> row.numpy().tolist(), counts.numpy().tolist()
        ([[32, 97, 98], [32, 98, 256]], [3, 2])
    """
    rows, size = axis_size(text_bytes, 0), axis_size(text_bytes, 1)
    inside = tf.range(size) < lengths[:, None]
    one, two = (_earlier(text_bytes, by) for by in (1, 2))
    behind = tf.equal(one, BOUNDARY) | (tf.equal(one, END) & tf.equal(two, BOUNDARY))
    starts = inside & behind & (text_bytes < END) & tf.not_equal(text_bytes, ord(" "))
    values = tf.stack([tf.fill(tf.shape(text_bytes), ord(" ")), text_bytes], axis=2)
    kept = tf.stack([starts, inside], axis=2)
    length = 2 * size if isinstance(size, int) and not tf.executing_eagerly() else None
    return packed(tf.reshape(values, [-1]), tf.reshape(kept, [-1]), rows, END, length)


def _earlier(text_bytes: tf.Tensor, by: int) -> tf.Tensor:
    """The bytes some positions earlier in rows (B, N), as if a boundary were before each row."""
    padded = tf.pad(text_bytes, [[0, 0], [by, 0]], constant_values=BOUNDARY)
    return padded[:, : axis_size(text_bytes, 1)]
