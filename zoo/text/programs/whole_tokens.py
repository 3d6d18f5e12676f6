"""Tokens that are found in texts as a whole, before these are split into words."""

from collections.abc import Mapping

import tensorflow as tf

from zoo.text.programs.program import Encode
from zoo.text.programs.ragged import (
    BOUNDARY,
    END,
    axis_size,
    flattened,
    packed,
    reached,
    to_int,
)
from zoo.text.programs.trie import NOTHING, Trie
from zoo.text.shift import moved


def whole_trie(tokens: Mapping[str, int]) -> Trie:
    """The trie of the bytes of tokens, which are numbered from 1."""
    entries = {tuple(byte + 1 for byte in text.encode()): i for text, i in tokens.items()}
    return Trie([entries], END + 1)


def found_whole(trie: Trie, flat: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor, tf.Tensor]:
    """Finds the first and longest tokens, none of which is inside of another.

    Args:
        trie: That of `whole_trie`.
        flat: Rows of bytes, laid end to end, int32 (M,); from `END` on what is none.

    Returns:
        Where a token begins, the id of each of them, and which bytes are in none, or its first one.

    Example:
        >>> trie = whole_trie({"ab": 7, "abc": 9})
        >>> begins, ids, read = found_whole(trie, tf.constant([END, *b"abcab"]))
        >>> tf.boolean_mask(ids, begins).numpy().tolist(), read.numpy().astype(int).tolist()
        ([9, 7], [1, 1, 0, 0, 1, 0])
    """
    symbols = tf.where(flat < END, flat + 1, NOTHING)
    size, found = trie.longest(symbols, symbols, tf.zeros_like(symbols))
    first = tf.equal(tf.range(tf.size(flat)), 0)
    read = reached(first, tf.maximum(size, 1), tf.ones_like(first))
    return read & (size > 0), found, read


class WithWholeTokens:
    """Encodes texts in which some tokens are found as a whole, between texts of their own.

    Args:
        encode: Encodes texts without such tokens; see `TokenizerProgram`.
        tokens: Their ids, by their text of at least two bytes.
        boundary: Id of boundaries.
        pad: Id of padding.

    Raises:
        ValueError: If a token has less than two bytes.
    """

    def __init__(self, encode: Encode, tokens: Mapping[str, int], boundary: int, pad: int) -> None:
        short = next((text for text in tokens if len(text.encode()) < 2), None)
        if short is not None:
            raise ValueError(f"{short!r} must have at least two bytes.")
        self._encode, self._trie = encode, whole_trie(tokens)
        self._boundary, self._pad = boundary, pad

    def __call__(self, text_bytes: tf.Tensor, lengths: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        """Converts rows of UTF-8 to ids; see `TokenizerProgram`."""
        rows, size = axis_size(text_bytes, 0), axis_size(text_bytes, 1)
        flat = flattened(text_bytes, lengths)
        begins, found, read = found_whole(self._trie, flat)
        second = moved(begins, 1, False)
        # A boundary, as of parts, in place of the first two bytes.
        values = tf.where(begins, BOUNDARY, tf.where(second, END, flat))
        column = tf.range(size + 1)[None, :]
        kept = tf.reshape((column > 0) & (column <= lengths[:, None]), [-1]) & (read | second)
        length = size + 1 if isinstance(size, int) else None
        shorter, counts = packed(values, kept, rows, END, length)
        numbers = tf.where(begins, found + 1, 0)
        boundaries = kept & tf.equal(values, BOUNDARY)
        of_boundary, _ = packed(numbers, boundaries, rows, 0, axis_size(shorter, 1) + 1)
        ids, count = self._encode(shorter, counts)
        at = tf.equal(ids, self._boundary)
        order = tf.maximum(tf.cumsum(to_int(at), axis=1) - 1, 0)
        row = tf.range(axis_size(ids, 0))[:, None] * axis_size(of_boundary, 1)
        number = tf.gather(tf.reshape(of_boundary, [-1]), row + order)
        return tf.where(at & (number > 0), number - 1, ids), count
