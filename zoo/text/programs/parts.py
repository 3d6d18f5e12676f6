"""Parts of rows that are read as texts of their own: the words or the sentences of a text."""

import tensorflow as tf

from zoo.text.programs.ragged import BOUNDARY, END, axis_size, packed

Rows = tuple[tf.Tensor, tf.Tensor]


def bounded(text_bytes: tf.Tensor, kept: tf.Tensor, begins: tf.Tensor | None = None) -> Rows:
    """Rows in which each run of kept bytes is a part, with a boundary before it.

    Args:
        text_bytes: int32 (B, N).
        kept: Which bytes are part of a part, bool (B, N); those between parts are left out.
        begins: Which bytes begin a part, bool (B, N), if there may be nothing between two parts.

    Returns:
        The bytes of all parts, each behind `BOUNDARY` and `END`, which a boundary has room for, and
        how many each row has.

    Example:
        >>> row, counts = bounded(tf.constant([[98, 32, 97]]), tf.constant([[True, False, True]]))
        >>> row.numpy().tolist(), counts.numpy().tolist()
        ([[257, 256, 98, 257, 256, 97]], [6])
    """
    rows, size = axis_size(text_bytes, 0), axis_size(text_bytes, 1)
    # Every other byte begins a part at most, if there is something between two parts.
    longest = size + size // 2 + 2 if begins is None else 3 * size
    begins = kept & ~behind(kept) if begins is None else begins
    boundary, end = (tf.fill(tf.shape(kept), each) for each in (BOUNDARY, END))
    values = tf.stack([boundary, end, text_bytes], axis=2)
    columns = tf.stack([begins, begins, kept], axis=2)
    length = longest if isinstance(size, int) else None
    return packed(tf.reshape(values, [-1]), tf.reshape(columns, [-1]), rows, END, length)


def behind(flags: tf.Tensor) -> tf.Tensor:
    """Shifts flags (B, N) by one to the right."""
    return tf.pad(flags, [[0, 0], [1, 0]])[:, : axis_size(flags, 1)]


def before(flags: tf.Tensor) -> tf.Tensor:
    """Shifts flags (B, N) by one to the left."""
    return tf.pad(flags, [[0, 0], [0, 1]])[:, 1:]
