"""Byte-pair encoding (BPE) of a batch of words."""

from collections.abc import Sequence

import numpy as np
import tensorflow as tf

from zoo.text.shift import moved

_NO_MERGE = np.int64(1) << 40  # the rank of pairs without a merge


class Merges:
    """Applies the merges of byte-pair encoding to words.

    Source: Sennrich et al. 2016, algorithm 1.

    Each iteration merges, in every word, the adjacent pair that was learned first, at all its
    occurrences from left to right. It ends when no word has a pair to merge. The words of a batch
    are merged in parallel, so the slowest word determines the number of iterations.

    Args:
        pairs: Pairs of ids, in the order in which they were learned.
        merged: Id that replaces each pair.
        size: Number of ids.

    Example:
        >>> merges = Merges([(0, 1), (2, 0)], [2, 3], size=4)
        >>> merges(tf.ragged.constant([[0, 1, 0, 1], [1, 0, 1, 0]])).to_list()
        [[2, 2], [1, 3]]
    """

    def __init__(self, pairs: Sequence[tuple[int, int]], merged: Sequence[int], size: int) -> None:
        keys = np.array([left * size + right for left, right in pairs], np.int64)
        # Pairs are looked up by binary search: a TensorFlow table would have to be saved, too.
        order = np.argsort(keys)
        self._size, self._keys, self._ranks = size, keys[order], order.astype(np.int64)
        self._merged = np.array(merged, np.int32)

    def __call__(self, words: tf.RaggedTensor) -> tf.RaggedTensor:
        """Merges the int32 ids of words, ragged (words, ids)."""

        def continues(_ids: tf.Tensor, _word: tf.Tensor, any_merged: tf.Tensor) -> tf.Tensor:
            return any_merged

        def body(ids: tf.Tensor, word: tf.Tensor, _: tf.Tensor) -> tuple:
            rank = tf.where(tf.equal(word, moved(word, -1, -1)), self._rank(ids), _NO_MERGE)
            first = tf.math.unsorted_segment_min(rank, word, words.nrows())
            chosen = (rank < _NO_MERGE) & tf.equal(rank, tf.gather(first, word))
            chosen = _every_other(chosen)
            merged = tf.gather(self._merged, tf.where(chosen, rank, 0))
            kept = ~moved(chosen, 1, False)
            ids, word = (tf.boolean_mask(x, kept) for x in (tf.where(chosen, merged, ids), word))
            return ids, word, tf.reduce_any(chosen)

        ids, word = words.flat_values, words.value_rowids()
        if len(self._keys):
            shapes = (tf.TensorShape([None]), tf.TensorShape([None]), tf.TensorShape([]))
            ids, word, _ = tf.while_loop(continues, body, (ids, word, True), shapes)
        return tf.RaggedTensor.from_value_rowids(ids, word, words.nrows(), validate=False)

    def _rank(self, ids: tf.Tensor) -> tf.Tensor:
        """Rank of the pair that starts at each of the ids (N,), or `_NO_MERGE`."""
        wide = tf.cast(ids, tf.int64)
        keys = wide * self._size + moved(wide, -1, 0)
        place = tf.minimum(tf.searchsorted(self._keys, keys), len(self._keys) - 1)
        known = tf.equal(tf.gather(self._keys, place), keys)
        return tf.where(known, tf.gather(self._ranks, place), _NO_MERGE)


def _every_other(chosen: tf.Tensor) -> tf.Tensor:
    """Keeps every other position of each run, since an id can be merged with one neighbor only.

    Example:
        >>> _every_other(tf.constant([True, True, True, False, True])).numpy().astype(int).tolist()
        [1, 0, 1, 0, 1]
    """
    begins = ~moved(chosen, 1, False)
    begin = tf.boolean_mask(tf.range(tf.size(chosen)), begins)
    run = tf.cumsum(tf.cast(begins, tf.int32)) - 1
    return chosen & tf.equal((tf.range(tf.size(chosen)) - tf.gather(begin, run)) % 2, 0)
