"""WordPiece: the longest token at each position, followed from one to the next."""

from collections.abc import Mapping
from typing import NamedTuple

import tensorflow as tf

from zoo.text.programs.ragged import packed, reached, to_int
from zoo.text.programs.symbols import BOUNDARY_SYMBOL, SPACE, SymbolTable
from zoo.text.programs.trie import NOTHING, Trie
from zoo.text.shift import moved


class Longest(NamedTuple):
    """The size of the longest word, in bytes or in characters; longer ones are unknown."""

    size: int
    in_characters: bool = False


class WordPiece:
    """Splits words greedily into the longest tokens, all words at once.

    Source: Schuster & Nakajima 2012; Song et al. 2021, "Fast WordPiece Tokenization", which this
        replaces by a search at all positions, and by jumping along the tokens that it finds.

    Args:
        symbols: Normalizes text, and numbers its characters.
        first: Ids of the tokens that start a word, by their text.
        inside: Ids of the tokens that continue a word.
        unknown: Id of words without such tokens.
        longest_word: Size of the longest word.
        pad: Id of padding.
        boundary: Id of boundaries.
    """

    def __init__(
        self,
        symbols: SymbolTable,
        first: Mapping[str, int],
        inside: Mapping[str, int],
        unknown: int,
        longest_word: Longest,
        pad: int,
        boundary: int,
    ) -> None:
        self._symbols, self._unknown, self._pad = symbols, unknown, pad
        self._longest = longest_word
        kinds = [
            {tuple(symbols.numbers[each] for each in text): i for text, i in entries.items()}
            for entries in (first, inside)
        ]
        kinds[0][BOUNDARY_SYMBOL,] = boundary
        self._trie = Trie(kinds, symbols.size)

    def __call__(self, text_bytes: tf.Tensor, lengths: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        """Converts rows of UTF-8, int32 (B, N) with their lengths (B,), to ids.

        Args:
            text_bytes: The bytes, padded.
            lengths: Number of bytes of each row.

        Returns:
            The ids (B, L), padded, and their number in each row (B,).
        """
        symbols, alone, sizes, rows = self._symbols(text_bytes, lengths)
        in_word = tf.not_equal(symbols, SPACE)
        begins = in_word & (
            alone | moved(alone, 1, False) | tf.equal(moved(symbols, 1, SPACE), SPACE)
        )
        follows = in_word & ~begins
        following = tf.where(follows, symbols, NOTHING)
        lengths_of_longest, ids = self._trie.longest(symbols, following, to_int(follows))
        tokens = reached(begins, tf.maximum(lengths_of_longest, 1), follows)

        # Of each word, whether it is unknown: its cost is the difference of the sums where it and
        # the next one begin. Only what is never read is written twice: what remains there depends
        # on the runtime.
        longest = self._longest.size
        sizes = to_int(in_word) if self._longest.in_characters else sizes
        cost = tf.where(tokens & tf.equal(lengths_of_longest, 0), longest + 1, sizes)
        cost = tf.where(in_word, cost, 0)
        starts = tf.concat([begins, [True]], axis=0)
        sums = tf.cumsum(tf.pad(cost, [[0, 1]]), exclusive=True)
        word = tf.cumsum(to_int(starts))
        size = tf.size(sums)
        at_start = tf.scatter_nd(tf.where(starts, word, size)[:, None], sums, [size + 1])
        word = word[:-1]
        total = tf.gather(at_start, word + 1) - tf.gather(at_start, word)
        unknown = total > longest
        kept = tf.where(unknown, begins, tokens)
        return packed(tf.where(unknown, self._unknown, ids), kept, rows, self._pad)
