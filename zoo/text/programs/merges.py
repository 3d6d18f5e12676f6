"""Byte-pair encoding of all words at once."""

from collections.abc import Sequence

import numpy as np
import tensorflow as tf

from zoo.text.programs.double_array import Places
from zoo.text.programs.rows import BIG, number, packed
from zoo.text.shift import moved

NO_WORD = -1


class Merges:
    """Applies the merges of byte-pair encoding, in arrays of one size.

    Each iteration merges, in every word, the adjacent pair that was learned first, at all its
    occurrences from left to right.

    Source: Sennrich et al. 2016, algorithm 1.

    Args:
        pairs: Pairs of ids, in the order in which they were learned.
        merged: Id that replaces each pair.
        size: Number of ids.

    Example:
        >>> merges = Merges([(0, 1), (2, 0)], [2, 3], size=4)
        >>> words = tf.constant([5, 5, 5, 5, 6, 6, 6, 6])
        >>> ids, words = merges(tf.constant([0, 1, 0, 1, 1, 0, 1, 0]), words, tf.constant(1))
        >>> ids.numpy()[:4].tolist(), words.numpy()[:5].tolist()
        ([2, 2, 1, 3], [5, 5, 6, 6, -1])
    """

    def __init__(self, pairs: Sequence[tuple[int, int]], merged: Sequence[int], size: int) -> None:
        rights: dict[int, dict[int, int]] = {}
        for rank, (left, right) in enumerate(pairs):
            rights.setdefault(left, {})[right] = rank
        places, base = Places(first=size), np.zeros(size, np.int32)
        for left in sorted(rights, key=lambda left: -len(rights[left])):
            base[left] = places.base_for(np.array(sorted(rights[left])))
        base[[left for left in range(size) if left not in rights]] = places.end
        owner, rank_of = np.full((2, places.end + size), -1, np.int32)
        for left, found in rights.items():
            for right, rank in found.items():
                owner[base[left] + right], rank_of[base[left] + right] = left, rank
        self._base, self._owner, self._rank = base, owner, rank_of
        self._merged = np.array([*merged, 0], np.int32)

    def __call__(
        self, ids: tf.Tensor, words: tf.Tensor, rows: tf.Tensor
    ) -> tuple[tf.Tensor, tf.Tensor]:
        """Merges the ids of words.

        Args:
            ids: int32 (M,), rows laid end to end.
            words: The number of the word of each id, from 0 to M - 1; `NO_WORD` of none.
            rows: Number of rows.

        Returns:
            The ids and their words, at the beginning of each row, and `NO_WORD` behind.
        """
        size = tf.size(ids)

        def continues(_ids: tf.Tensor, _words: tf.Tensor, more: tf.Tensor) -> tf.Tensor:
            return more

        def body(ids: tf.Tensor, words: tf.Tensor, _: tf.Tensor) -> tuple:
            place = tf.gather(self._base, ids) + moved(ids, -1, 0)
            in_word = words >= 0
            known = tf.equal(tf.gather(self._owner, place), ids) & in_word
            known &= tf.equal(words, moved(words, -1, NO_WORD))
            rank = tf.where(known, tf.gather(self._rank, place), BIG)
            segment = tf.where(in_word, words, size)
            first = tf.math.unsorted_segment_min(rank, segment, size + 1)
            chosen = _every_other(known & tf.equal(rank, tf.gather(first, segment)))
            merged = tf.gather(self._merged, tf.where(chosen, rank, len(self._merged) - 1))
            ids = tf.where(chosen, merged, ids)
            kept = in_word & ~moved(chosen, 1, False)
            width = size // tf.maximum(rows, 1)
            ids, words = (
                tf.reshape(packed(x, kept, rows, fill, width)[0], [-1])
                for x, fill in ((ids, 0), (words, NO_WORD))
            )
            return ids, words, tf.reduce_any(chosen)

        ids, words, _ = tf.while_loop(continues, body, (ids, words, tf.constant(True)))
        return ids, words


def _every_other(chosen: tf.Tensor) -> tf.Tensor:
    """Keeps every other position of each run, since an id can be merged with one neighbor only.

    Example:
        >>> _every_other(tf.constant([True, True, True, False, True])).numpy().astype(int).tolist()
        [1, 0, 1, 0, 1]
    """
    size = tf.size(chosen)
    begins = chosen & ~moved(chosen, 1, False)
    run = tf.cumsum(number(begins))
    places = tf.where(begins, run, size + 1)
    first = tf.scatter_nd(places[:, None], tf.range(size), [size + 2])
    return chosen & tf.equal((tf.range(size) - tf.gather(first, run)) % 2, 0)
