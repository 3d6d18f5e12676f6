"""Byte-level BPE and single bytes."""

import numpy as np
import tensorflow as tf

from zoo.text.pretokenize import GPT2, begins_words
from zoo.text.programs.merges import NO_WORD, Merges
from zoo.text.programs.ragged import END, packed, row_width, to_int
from zoo.text.programs.unmerged_words import UnmergedWords
from zoo.text.programs.utf8 import BOUNDARY_CODE, Decoded
from zoo.text.programs.valid_bytes import ValidBytes, valid_bytes


class ByteIds:
    """The id of each byte.

    Args:
        ids: The id of each of the 256 bytes.
        pad: Id of padding.
        boundary: Id of boundaries.
    """

    def __init__(self, ids: np.ndarray, pad: int, boundary: int) -> None:
        self._ids, self._pad = np.array([*ids, ids[0], boundary], np.int32), pad

    def __call__(self, text_bytes: tf.Tensor, lengths: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        """Converts rows of UTF-8 to ids; see `TokenizerProgram`."""
        valid = valid_bytes(text_bytes, lengths)
        kept = tf.not_equal(valid.values, END)
        return packed(self.of(valid.values), kept, valid.rows, self._pad)

    def of(self, values: tf.Tensor) -> tf.Tensor:
        """The ids of bytes; any id for `END`."""
        return tf.gather(self._ids, values)


class ByteBPE:
    """Splits text into words, these into bytes, and merges them.

    Source: Radford et al. 2019, section 2.2.

    Args:
        ids: The id of each of the 256 bytes; -1 for bytes that the vocabulary lacks, which are left
            out.
        merges: The merges.
        pad: Id of padding.
        boundary: Id of boundaries.
        split_digits: Whether each digit is a word of its own.
        pattern: The words of which tokenizer; see `begins_words`.
        unmerged: The words that are not merged; None if all are.
    """

    def __init__(
        self,
        ids: np.ndarray,
        merges: Merges,
        pad: int,
        boundary: int,
        split_digits: bool = False,
        pattern: str = GPT2,
        unmerged: UnmergedWords | None = None,
    ) -> None:
        self._unmerged = unmerged
        self._ids, self._merges, self._pad = ByteIds(np.maximum(ids, 0), pad, boundary), merges, pad
        self._known = np.array([*(ids >= 0), True, True])
        self._split_digits, self._pattern = split_digits, pattern

    def __call__(self, text_bytes: tf.Tensor, lengths: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        """Converts rows of UTF-8 to ids; see `TokenizerProgram`."""
        valid = valid_bytes(text_bytes, lengths)
        word = tf.cumsum(to_int(_begins(valid, self._split_digits, self._pattern))) - 1
        words = tf.where(tf.equal(valid.values, END), NO_WORD, word)
        ids = self._ids.of(valid.values)
        if not self._known.all():
            known = tf.gather(self._known, valid.values)
            width = row_width(ids, valid.rows)
            ids, words = (
                tf.reshape(packed(x, known, valid.rows, fill, width)[0], [-1])
                for x, fill in ((ids, 0), (words, NO_WORD))
            )
        ids, words = self._merges(ids, words, valid.rows)
        if self._unmerged is None:
            return packed(ids, words >= 0, valid.rows, self._pad)
        return packed(*self._unmerged(ids, words), valid.rows, self._pad)


def word_begins(
    read: Decoded, rows: int | tf.Tensor, split_digits: bool = False, pattern: str = GPT2
) -> tf.Tensor:
    """Which bytes begin a word, bool (M,).

    Args:
        read: Rows of bytes, laid end to end.
        rows: Number of rows.
        split_digits, pattern: See `begins_words`.
    """
    width = row_width(read.codes, rows)
    characters, counts = packed(read.codes, read.starts, rows, 0, width)
    inside = tf.range(width) < counts[:, None]
    # A boundary is between the text before it and the text behind it.
    boundaries = inside & tf.equal(characters, BOUNDARY_CODE)
    number = 2 * tf.cumsum(to_int(boundaries), axis=1) - to_int(boundaries)
    text = tf.where(inside, tf.range(rows)[:, None] * (2 * width + 1) + number, -1)
    flat = tf.reshape(characters, [-1]), tf.reshape(text, [-1])
    begins = begins_words(*flat, split_digits, pattern)
    # Of each character, its index among those of its row, and among the bytes.
    ordered = tf.cumsum(tf.reshape(to_int(read.starts), [rows, -1]), axis=1) - 1
    index = tf.reshape(tf.range(rows)[:, None] * width + tf.maximum(ordered, 0), [-1])
    return read.starts & tf.gather(begins, index)


def _begins(valid: ValidBytes, split_digits: bool, pattern: str) -> tf.Tensor:
    """Which bytes begin a word, bool."""
    begins = word_begins(valid.read, valid.rows, split_digits, pattern)
    size = tf.size(valid.values)
    target = tf.where(begins, valid.starts, size)[:, None]
    return tf.scatter_nd(target, to_int(begins), [size + 1])[:-1] > 0
