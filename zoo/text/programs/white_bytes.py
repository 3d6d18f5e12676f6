"""Whitespace among bytes."""

import tensorflow as tf

from zoo.text.pretokenize import is_white
from zoo.text.programs.utf8 import Decoded
from zoo.text.shift import moved

_CONTINUING = 2  # bytes of whitespace after its first one


def white_bytes(read: Decoded) -> tf.Tensor:
    """Which bytes are part of whitespace of any kind, bool (M,).

    Args:
        read: Rows of bytes, laid end to end.

    Example:
        >>> from zoo.text.programs.ragged import flattened
        >>> from zoo.text.programs.utf8 import decoded
        >>> text = "a\u2003b ".encode()
        >>> row = flattened(tf.constant([list(text)]), tf.constant([len(text)]))
        >>> white_bytes(decoded(row)).numpy().astype(int).tolist()
        [0, 0, 1, 1, 1, 0, 1]
    """
    white = read.starts & is_white(read.codes)
    inside = read.valid & ~read.starts
    for _ in range(_CONTINUING):
        white |= inside & moved(white, 1, False)
    return white
