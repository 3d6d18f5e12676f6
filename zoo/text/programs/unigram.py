"""Unigram: the most probable tokens of each word, of all words at once."""

import math
from collections.abc import Mapping, Sequence
from typing import Protocol

import numpy as np
import tensorflow as tf

from zoo.text.programs.ragged import axis_size, packed, reached
from zoo.text.programs.symbols import BOUNDARY_SYMBOL, SPACE, Symbols
from zoo.text.programs.trie import NOTHING, Trie
from zoo.text.shift import moved

_PENALTY = 10.0  # by which an unknown character scores less than the least probable token
_NEVER = -1e30
_NEVER_FIXED = -(1 << 60)  # of fixed point numbers
_LONGEST_WORD = 1 << 20  # characters whose scores have a sum


class NumberedSymbols(Protocol):
    """Converts rows of UTF-8 to the symbols of a vocabulary."""

    numbers: dict[str, int]
    size: int

    def __call__(self, text_bytes: tf.Tensor, lengths: tf.Tensor) -> Symbols: ...


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
        boundary: Id of boundaries.
        least: The score from which that of unknown characters is; the least of `tokens` without it.
        exact: Whether scores are added as fixed point numbers, without rounding, as in double
            precision. SentencePiece itself adds numbers of single precision.
        marked: Whether a symbol of `space` also begins a word within a text.
    """

    def __init__(
        self,
        symbols: NumberedSymbols,
        tokens: Mapping[str, int],
        scores: Sequence[float],
        space: str,
        unknown: int,
        pad: int,
        boundary: int,
        least: float | None = None,
        exact: bool = False,
        marked: bool = False,
    ) -> None:
        self._marked = marked
        self._symbols, self._space = symbols, symbols.numbers[space]
        self._unknown, self._pad, self._boundary = unknown, pad, boundary
        backwards = {
            tuple(symbols.numbers[each] for each in reversed(text)): i for text, i in tokens.items()
        }
        self._trie = Trie([backwards], symbols.size)
        if least is None:
            least = min((scores[i] for i in tokens.values()), default=0.0)
        # Behind them those of no token, and of an unknown character.
        self._never: float = _NEVER
        if exact:
            self._scores, self._never = _fixed([*scores, 0.0, least - _PENALTY]), _NEVER_FIXED
            self._scores[-2] = self._never
        else:
            all_scores = [*scores, _NEVER, np.float32(least) - _PENALTY]
            self._scores = np.array(all_scores, np.float32)
        self._none, self._no_character = len(scores), len(scores) + 1

    def __call__(self, text_bytes: tf.Tensor, lengths: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        """Converts rows of UTF-8 to ids; see `TokenizerProgram`."""
        symbols, _, _, rows = self._symbols(text_bytes, lengths)
        boundaries = tf.equal(symbols, BOUNDARY_SYMBOL)
        symbols = tf.where(boundaries, SPACE, symbols)
        following = moved(symbols, -1, SPACE)
        begins = tf.equal(symbols, SPACE) & tf.not_equal(following, SPACE)
        if self._marked:
            begins &= tf.not_equal(following, self._space)
            begins |= tf.equal(symbols, self._space)
        symbols = tf.where(begins, self._space, symbols)
        in_word, begun = tf.not_equal(symbols, SPACE), moved(begins, -1, False)
        last = in_word & (begun | ~moved(in_word, -1, False))
        ids = self._trie.every(symbols, tf.where(begun, NOTHING, symbols))
        size, longest = axis_size(ids, 0), ids.shape[1]
        missing = np.array([self._none] * (longest - 1) + [self._no_character], np.int32)
        ids = tf.where(ids >= 0, ids, missing)
        back = self._best(tf.gather(self._scores, ids), begins, last)

        # The last symbols of tokens, from that of each word to its first token.
        chain = (tf.reverse(each, [0]) for each in (last, back, in_word & ~last))
        ends = tf.reverse(reached(*chain), [0])
        ids = tf.gather(tf.reshape(ids, [-1]), (tf.range(size) + 1) * longest - back)
        unknown = ends & tf.equal(ids, self._no_character)
        kept = boundaries | (ends & ~(unknown & moved(unknown, 1, False) & ~begins))
        ids = tf.where(boundaries, self._boundary, tf.where(unknown, self._unknown, ids))
        return packed(ids, kept, rows, self._pad)

    def _best(self, scores: tf.Tensor, begins: tf.Tensor, last: tf.Tensor) -> tf.Tensor:
        """Length of the best last token of each beginning of a word, by its last symbol.

        Args:
            scores: The score of each token that ends at each symbol, from the longest token to that
                of one symbol, (M, K).
            begins: Which symbols begin a word, bool (M,).
            last: Which symbols end a word, bool (M,).
        """
        size, longest = axis_size(begins, 0), scores.shape[1]
        if longest == 1:
            return tf.ones_like(begins, tf.int32)
        most = size // 2 + 1 if isinstance(size, int) else None
        begin, end = (
            packed(tf.range(size), each, 1, fill, most)[0][0][:, None]
            for each, fill in ((begins, 0), (last, -1))
        )
        lengths = end - begin + 1
        padded = tf.pad(scores, [[0, 1], [0, 0]])

        def continues(step: tf.Tensor, _best, _before) -> tf.Tensor:
            return step < tf.reduce_max(tf.pad(lengths, [[0, 1], [0, 0]]))

        def body(step: tf.Tensor, best: tf.Tensor, before: tf.Tensor) -> tuple:
            index = tf.where(step < lengths, begin + step, size)
            total = before + tf.gather_nd(padded, index)
            highest = tf.reduce_max(total, axis=1, keepdims=True)
            best += tf.scatter_nd(index, highest, [size + 1, 1])
            return step + 1, best, tf.concat([before[:, 1:], highest], axis=1)

        # The best scores of what ends before each word, and so many symbols before.
        dtype = self._scores.dtype
        before = tf.zeros_like(begin, dtype)
        before = tf.pad(before, [[0, 0], [longest - 1, 0]], constant_values=self._never)
        start = (tf.constant(0), tf.zeros([size + 1, 1], dtype), before)
        best = tf.while_loop(continues, body, start)[1][:-1, 0]
        before = tf.where(moved(begins, -1, False), tf.zeros([], dtype), best)
        indices = tf.range(size)[:, None] + tf.range(longest)
        total = tf.gather(tf.pad(before, [[longest, 0]]), indices) + scores
        # Of two with the same score, the longer token is taken.
        taken = tf.where(tf.equal(total, best[:, None]), tf.range(longest, 0, -1), 1)
        return tf.reduce_max(taken, axis=1)


def _fixed(scores: Sequence[float]) -> np.ndarray:
    """Scores as whole multiples of a power of 2, the least one with which no sum overflows."""
    greatest = max(2.0, *map(abs, scores))
    bits = 60 - math.ceil(math.log2(greatest * _LONGEST_WORD))
    return np.array([round(each * 2.0**bits) for each in scores], np.int64)
