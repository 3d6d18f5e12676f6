"""Two texts in one row."""

from collections.abc import Sequence

import tensorflow as tf

from zoo.text.programs.ragged import axis_size, packed

Rows = tuple[tf.Tensor, tf.Tensor]


def joined(first: Rows, second: Rows, between: Sequence[int], pad: int) -> Rows:
    """Joins the ids of two texts.

    Args:
        first: Padded ids (B, L), and how many each row has (B,).
        second: Those of the second texts.
        between: The ids between them.
        pad: Id of padding.

    Example:
        >>> one = tf.constant([[7, 8], [0, 0]]), tf.constant([2, 0])
        >>> two = tf.constant([[9], [4]]), tf.constant([1, 1])
        >>> ids, counts = joined(one, two, between=[3], pad=0)
        >>> ids.numpy().tolist(), counts.numpy().tolist()
        ([[7, 8, 3, 9], [3, 4, 0, 0]], [4, 2])
    """
    rows, number = axis_size(first[0], 0), len(between)
    separators = tf.tile(tf.constant([list(between)], tf.int32), [rows, 1])
    ids = tf.concat([first[0], separators, second[0]], axis=1)
    inside = [tf.range(tf.shape(each)[1]) < counts[:, None] for each, counts in (first, second)]
    kept = tf.concat([inside[0], tf.fill([rows, number], True), inside[1]], axis=1)
    return packed(tf.reshape(ids, [-1]), tf.reshape(kept, [-1]), rows, pad)
