"""Shifting a tensor along its axis."""

from typing import Any

import tensorflow as tf


def moved(x: tf.Tensor, by: int, fill: Any) -> tf.Tensor:
    """Shifts a tensor (N,) to the right, or to the left if `by` is negative.

    Args:
        x: The tensor.
        by: Number of positions.
        fill: Value of the positions that become empty.

    Example:
        >>> moved(tf.constant([7, 8, 9]), 1, 0).numpy().tolist()
        [0, 7, 8]
        >>> moved(tf.constant([7, 8, 9]), -1, 0).numpy().tolist()
        [8, 9, 0]
    """
    padded = tf.pad(x, [[max(by, 0), max(-by, 0)]], constant_values=fill)
    return padded[max(-by, 0) : max(-by, 0) + tf.size(x)]
