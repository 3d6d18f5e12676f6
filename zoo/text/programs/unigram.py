"""Unigram: the most probable tokens of each word, of all words at once."""

from collections.abc import Mapping, Sequence

import numpy as np
import tensorflow as tf

from zoo.text.programs.rows import packed, reached, to_int
from zoo.text.programs.symbols import MARK_SYMBOL, SPACE, SymbolTable
from zoo.text.programs.trie import Trie
from zoo.text.shift import moved

_PENALTY = 10.0  # by which an unknown character scores less than the least probable token
_NEVER = -1e30


class Unigram:
    """Splits each word into the tokens with the greatest sum of scores.

    Source: Kudo 2018; the Viterbi algorithm and the score of unknown characters as in
        tensorflow-text's `optimized_encoder.cc`.
    Formula: `best(p) = max_k (best(p - k) + score(the token of k characters that ends at p))`, for
        the position p = 1, 2, ... of all words in one step

    Args:
        symbols: Numbers the characters.
        tokens: Ids of the tokens by their text.
        scores: The score of each id; only those of `tokens` count.
        space: The character before each word.
        unknown: Id of a run of characters that are not in the vocabulary.
        pad: Id of padding.
        mark: Id of marks.
    """

    def __init__(
        self,
        symbols: SymbolTable,
        tokens: Mapping[str, int],
        scores: Sequence[float],
        space: str,
        unknown: int,
        pad: int,
        mark: int,
    ) -> None:
        self._symbols, self._space = symbols, symbols.numbers[space]
        self._unknown, self._pad, self._mark = unknown, pad, mark
        entries = {tuple(symbols.numbers[each] for each in text): i for text, i in tokens.items()}
        self._trie = Trie([entries], symbols.size)
        least = min((scores[i] for i in tokens.values()), default=0.0)
        # Behind them those of no token, and of an unknown character.
        self._scores = np.array([*scores, _NEVER, np.float32(least) - _PENALTY], np.float32)
        self._none, self._no_character = len(scores), len(scores) + 1

    def __call__(self, text_bytes: tf.Tensor, lengths: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        """Converts rows of UTF-8 to ids; see `Program`."""
        symbols, _, _, rows = self._symbols(text_bytes, lengths)
        marks = tf.equal(symbols, MARK_SYMBOL)
        symbols = tf.where(marks, SPACE, symbols)
        begins = tf.equal(symbols, SPACE) & tf.not_equal(moved(symbols, -1, SPACE), SPACE)
        symbols = tf.where(begins, self._space, symbols)
        in_word = tf.not_equal(symbols, SPACE)
        following = tf.where(in_word & ~begins, symbols, SPACE)
        tokens = self._trie.every(symbols, following)
        tokens[0] = tf.where(tokens[0] >= 0, tokens[0], self._no_character)
        found = tf.stack([tf.where(each >= 0, each, self._none) for each in tokens], axis=1)
        back = self._best(found, begins, in_word)

        # The last symbols of tokens, from that of each word to its first token.
        last = in_word & (~moved(in_word, -1, False) | moved(begins, -1, False))
        chain = (tf.reverse(each, [0]) for each in (last, back, in_word & ~last))
        ends = tf.reverse(reached(*chain), [0])
        first = tf.maximum(tf.range(tf.size(back)) - back + 1, 0)
        ids = tf.gather(tf.reshape(found, [-1]), first * len(tokens) + back - 1)
        unknown = ends & tf.equal(ids, self._no_character)
        kept = marks | (ends & ~(unknown & moved(unknown, 1, False) & ~begins))
        ids = tf.where(marks, self._mark, tf.where(unknown, self._unknown, ids))
        return packed(ids, kept, rows, self._pad)

    def _best(self, found: tf.Tensor, begins: tf.Tensor, in_word: tf.Tensor) -> tf.Tensor:
        """Length of the best last token of each beginning of a word, by its last symbol.

        Args:
            found: The token of each number of symbols that begins at each symbol, (M, K).
            begins: Which symbols begin a word, bool (M,).
            in_word: Which symbols are part of a word, bool (M,).
        """
        size, longest = tf.size(begins), found.shape[1]
        if longest == 1:
            return tf.ones_like(begins, tf.int32)
        scores = tf.reshape(tf.gather(self._scores, found), [-1])
        count = None if begins.shape[0] is None else begins.shape[0] // 2 + 1
        begin = packed(tf.range(size), begins, 1, 0, count)[0][0]
        word = tf.where(in_word, tf.cumsum(to_int(begins)), 0)
        lengths = tf.range(longest, 0, -1)  # of two with the same score, the longer token is taken

        def continues(_step, _best, _back, more: tf.Tensor) -> tf.Tensor:
            return more

        def body(step, best, back, _):
            end = tf.minimum(begin + step, size - 1)
            there = tf.equal(tf.gather(word, end), tf.range(1, tf.size(begin) + 1))
            there &= begin + step < size
            before = tf.gather(best, tf.maximum(end[:, None] - lengths, 0))
            before = tf.where(tf.equal(lengths, step + 1), 0.0, before)
            token = tf.maximum(end[:, None] - lengths + 1, 0) * longest + lengths - 1
            total = before + tf.gather(scores, token)
            total = tf.where(lengths <= step + 1, total, 2 * _NEVER)
            highest = tf.reduce_max(total, axis=1)
            taken = tf.where(tf.equal(total, highest[:, None]), lengths, 0)
            place = tf.where(there, end, size)[:, None]
            best += tf.scatter_nd(place, highest, [size + 1])
            back += tf.scatter_nd(place, tf.reduce_max(taken, axis=1), [size + 1])
            return step + 1, best, back, tf.reduce_any(there)

        nothing = tf.zeros([size + 1])
        start = (tf.constant(0), nothing, tf.zeros([size + 1], tf.int32), tf.constant(True))
        back = tf.while_loop(continues, body, start)[2]
        return tf.maximum(back[:-1], 1)
