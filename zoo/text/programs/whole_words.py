"""Whole words: each is one token, or unknown."""

from collections.abc import Mapping

import tensorflow as tf

from zoo.text.programs.ragged import packed, to_int
from zoo.text.programs.symbols import BOUNDARY_SYMBOL, SPACE, SymbolTable
from zoo.text.programs.trie import NOTHING, Trie
from zoo.text.shift import moved


class WholeWords:
    """Looks up words, all at once: those after a space, and those after another word.

    Args:
        symbols: Normalizes text, and numbers its characters.
        spaced: Ids of the words that follow a space, by their text.
        attached: Ids of the words that follow another word.
        unknown: Id of other words.
        pad: Id of padding.
        boundary: Id of boundaries.
    """

    def __init__(
        self,
        symbols: SymbolTable,
        spaced: Mapping[str, int],
        attached: Mapping[str, int],
        unknown: int,
        pad: int,
        boundary: int,
    ) -> None:
        self._symbols, self._unknown, self._pad = symbols, unknown, pad
        kinds = [
            {tuple(symbols.numbers[each] for each in text): i for text, i in entries.items()}
            for entries in (spaced, attached)
        ]
        for entries in kinds:
            entries[BOUNDARY_SYMBOL,] = boundary
        self._trie = Trie(kinds, symbols.size)

    def __call__(self, text_bytes: tf.Tensor, lengths: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        """Converts rows of UTF-8 to ids; see `TokenizerProgram`."""
        symbols, alone, _, rows = self._symbols(text_bytes, lengths)
        in_word = tf.not_equal(symbols, SPACE)
        after_space = tf.equal(moved(symbols, 1, SPACE), SPACE)
        begins = in_word & (alone | moved(alone, 1, False) | after_space)
        following = tf.where(in_word & ~begins, symbols, NOTHING)
        longest, ids = self._trie.longest(symbols, following, to_int(begins & ~after_space))
        # A word is known if its longest token is the whole word: if no symbol of it follows.
        index = tf.range(tf.size(symbols))
        behind = tf.concat([in_word & ~begins, [False]], axis=0)
        end = tf.minimum(index + tf.maximum(longest, 1), tf.size(symbols))
        known = (longest > 0) & ~tf.gather(behind, end)
        return packed(tf.where(known, ids, self._unknown), begins, rows, self._pad)
