"""Values that stand in a row, and their neighbours."""

from typing import Any

import tensorflow as tf


def moved(x: tf.Tensor, by: int, fill: Any) -> tf.Tensor:
    """The tensor (N,) moved to the right, or with a negative number to the left.

    Example:
        >>> moved(tf.constant([7, 8, 9]), 1, 0).numpy().tolist()
        [0, 7, 8]
        >>> moved(tf.constant([7, 8, 9]), -1, 0).numpy().tolist()
        [8, 9, 0]
    """
    padded = tf.pad(x, [[max(by, 0), max(-by, 0)]], constant_values=fill)
    return padded[max(-by, 0) : max(-by, 0) + tf.size(x)]
