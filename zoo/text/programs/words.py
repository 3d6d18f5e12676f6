"""The words of texts: where they are among the bytes, and among the ids."""

import numpy as np
import tensorflow as tf

from zoo.text.programs.parts import before, behind, bounded
from zoo.text.programs.ragged import axis_size, packed, to_int
from zoo.text.whitespace import separators

_PART_OF_WORD = np.array([chr(byte) not in separators() for byte in range(256)])


def bounded_words(text_bytes: tf.Tensor, lengths: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    """Rows of bytes, int32 (B, N) with their lengths (B,), of which each word is a part."""
    inside = tf.range(axis_size(text_bytes, 1)) < lengths[:, None]
    return bounded(text_bytes, inside & tf.gather(_PART_OF_WORD, text_bytes))


def tokens_of_words(
    ids: tf.Tensor, counts: tf.Tensor, boundary: int, unknown: int, pad: int
) -> tuple[tf.Tensor, tf.Tensor, tf.Tensor]:
    """The tokens of words, and which of them begin a word.

    A word without tokens becomes the unknown token.

    Args:
        ids: The ids of rows of words, a boundary before each word, int32 (B, L).
        counts: Number of ids of each row (B,).
        boundary: Id of boundaries.
        unknown: Id of the unknown token.
        pad: Id of padding.

    Returns:
        The ids (B, L), padded, whether each begins a word, int32 (B, L), and the number of ids in
        each row (B,).

    Example:
        >>> words = tokens_of_words(tf.constant([[9, 5, 6, 9, 9, 7]]), tf.constant([6]), 9, 1, 0)
        >>> words[0].numpy().tolist(), words[1].numpy().tolist(), words[2].numpy().tolist()
        ([[5, 6, 1, 7]], [[1, 0, 1, 1]], [4])
    """
    inside = tf.range(axis_size(ids, 1)) < counts[:, None]
    boundaries = inside & tf.equal(ids, boundary)
    tokens = inside & ~boundaries
    empty = boundaries & ~before(tokens)
    begins = empty | (tokens & behind(boundaries))
    kept, rows = tf.reshape(tokens | empty, [-1]), axis_size(ids, 0)
    token_ids, counts = packed(tf.reshape(tf.where(empty, unknown, ids), [-1]), kept, rows, pad)
    return token_ids, packed(tf.reshape(to_int(begins), [-1]), kept, rows, 0)[0], counts
