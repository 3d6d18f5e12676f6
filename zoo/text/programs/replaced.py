"""One id in place of a sequence of ids."""

from collections.abc import Sequence

import tensorflow as tf

from zoo.text.programs.ragged import axis_size, packed
from zoo.text.shift import moved


def replaced(
    ids: tf.Tensor, counts: tf.Tensor, pattern: Sequence[int], by: int, pad: int
) -> tuple[tf.Tensor, tf.Tensor]:
    """Replaces each occurrence of a sequence of ids in padded rows.

    Args:
        ids: int32 (B, L).
        counts: Number of ids of each row (B,).
        pattern: The sequence of ids.
        by: The id that replaces it.
        pad: Id of padding.

    Example:
        >>> ids, counts = tf.constant([[7, 8, 9, 8], [8, 0, 0, 0]]), tf.constant([4, 1])
        >>> shorter, counts = replaced(ids, counts, [8, 9], by=4, pad=0)
        >>> shorter.numpy().tolist(), counts.numpy().tolist()
        ([[7, 4, 8], [8, 0, 0]], [3, 1])
    """
    rows = axis_size(ids, 0)
    inside = tf.range(tf.shape(ids)[1]) < counts[:, None]
    # Nothing in the pattern is below 0, so that no match goes from one row to the next.
    flat = tf.reshape(tf.pad(tf.where(inside, ids, -1), [[0, 0], [0, 1]], constant_values=-1), [-1])
    begins = flat >= 0
    for i, expected in enumerate(pattern):
        begins &= tf.equal(moved(flat, -i, -1), expected)
    kept = flat >= 0
    for i in range(1, len(pattern)):
        kept &= ~moved(begins, i, False)
    return packed(tf.where(begins, by, flat), kept, rows, pad)
