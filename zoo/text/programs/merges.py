"""Byte-pair encoding of all words at once."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from zoo.text.programs.double_array import Slots
from zoo.text.programs.ragged import packed, row_width, to_int
from zoo.text.shift import moved

NO_WORD = -1
NO_MERGE = 1 << 30  # the rank of pairs without a merge


class Merges:
    """Applies the merges of byte-pair encoding (BPE) to all words at once.

    Each iteration merges, in every word, the adjacent pair that was learned first, at all its
    occurrences from left to right. It ends when no word has a pair to merge.

    A merge after which an earlier one may be possible is done at one place at a time: there, the
    earlier one comes before the other places. Vocabularies that were learned have no such merge.

    Source: Sennrich et al. 2016, algorithm 1.

    Args:
        pairs: Pairs of ids, in the order in which they were learned.
        merged: Id that replaces each pair.
        size: Number of ids.

    Example:
        >>> merges = Merges([(0, 1), (2, 0)], [2, 3], size=4)
        >>> words = tf.constant([5, 5, 5, 5, 6, 6, 6, 6])
        >>> ids, words = merges(tf.constant([0, 1, 0, 1, 1, 0, 1, 0]), words, rows=1)
        >>> ids.numpy()[:4].tolist(), words.numpy()[:5].tolist()
        ([2, 2, 1, 3], [5, 5, 6, 6, -1])
        >>> merges.ragged(tf.ragged.constant([[0, 1, 0, 1], [1, 0, 1, 0]])).to_list()
        [[2, 2], [1, 3]]
    """

    def __init__(self, pairs: Sequence[tuple[int, int]], merged: Sequence[int], size: int) -> None:
        rights: dict[int, dict[int, int]] = {}
        for rank, (left, right) in enumerate(pairs):
            rights.setdefault(left, {})[right] = rank
        slots, base = Slots(first=size), np.zeros(size, np.int32)
        for left in sorted(rights, key=lambda left: -len(rights[left])):
            base[left] = slots.base_for(np.array(sorted(rights[left])))
        base[[left for left in range(size) if left not in rights]] = slots.end
        owner, rank_of = np.full((2, slots.end + size), -1, np.int32)
        for left, ranks in rights.items():
            for right, rank in ranks.items():
                owner[base[left] + right], rank_of[base[left] + right] = left, rank
        self._base, self._owner, self._rank = base, owner, rank_of
        self._merged = np.array([*merged, 0], np.int32)
        self._one_by_one = _one_by_one(pairs, merged)

    def ranks(self, lefts: np.ndarray, rights: np.ndarray) -> np.ndarray:
        """The rank of each pair of ids, in NumPy; `NO_MERGE` of pairs that are not merged."""
        places = self._base[lefts] + rights
        return np.where(self._owner[places] == lefts, self._rank[places], NO_MERGE)

    @property
    def merged(self) -> np.ndarray:
        """The id that replaces the pair of each rank, and 0 behind."""
        return self._merged

    def __call__(self, ids: tf.Tensor, words: tf.Tensor, rows: Any) -> tuple[tf.Tensor, tf.Tensor]:
        """Merges the ids of words, in arrays of one size.

        Args:
            ids: int32 (M,), rows laid end to end.
            words: The number of the word of each id, int32, from 0 to M - 1; `NO_WORD` of none.
            rows: Number of rows.

        Returns:
            The ids and their words, at the beginning of each row, and `NO_WORD` behind.
        """
        width = row_width(ids, rows)

        def body(ids: tf.Tensor, words: tf.Tensor, _: tf.Tensor) -> tuple:
            ids, kept, any_merged = self._step(ids, words)
            ids, words = (
                tf.reshape(packed(x, kept, rows, fill, width)[0], [-1])
                for x, fill in ((ids, 0), (words, NO_WORD))
            )
            return ids, words, any_merged

        ids, words, _ = tf.while_loop(_continues, body, (ids, words, tf.constant(True)))
        return ids, words

    def ragged(self, words: tf.RaggedTensor) -> tf.RaggedTensor:
        """Merges the int32 ids of words, ragged (words, ids), in arrays that get smaller.

        Takes less time where sizes may change, as in TensorFlow.
        """

        def body(ids: tf.Tensor, word: tf.Tensor, _: tf.Tensor) -> tuple:
            ids, kept, any_merged = self._step(ids, word)
            return tf.boolean_mask(ids, kept), tf.boolean_mask(word, kept), any_merged

        shapes = (tf.TensorShape([None]), tf.TensorShape([None]), tf.TensorShape([]))
        start = words.flat_values, tf.cast(words.value_rowids(), tf.int32), tf.constant(True)
        ids, word, _ = tf.while_loop(_continues, body, start, shapes)
        word = tf.cast(word, words.row_splits.dtype)
        return tf.RaggedTensor.from_value_rowids(ids, word, words.nrows(), validate=False)

    def _step(self, ids: tf.Tensor, words: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor, tf.Tensor]:
        """Merges one pair of each word: the new ids, which of them to keep, and if any is new."""
        size, in_word = tf.size(ids), words >= 0
        index = tf.gather(self._base, ids) + moved(ids, -1, 0)
        known = tf.equal(tf.gather(self._owner, index), ids) & in_word
        known &= tf.equal(words, moved(words, -1, NO_WORD))
        rank = tf.where(known, tf.gather(self._rank, index), NO_MERGE)
        segment = tf.where(in_word, words, size)
        as_float = tf.cast(rank, tf.float32)  # exact; tf2onnx has no minimum of integers
        first = tf.math.unsorted_segment_min(as_float, segment, size + 1)
        matches = known & tf.equal(as_float, tf.gather(first, segment))
        chosen = _every_other(matches)
        if self._one_by_one.any():
            alone = tf.gather(self._one_by_one, tf.where(matches, rank, len(self._merged) - 1))
            place = tf.cast(tf.where(matches, tf.range(size), size), tf.float32)
            earliest = tf.math.unsorted_segment_min(place, segment, size + 1)
            chosen &= ~alone | tf.equal(place, tf.gather(earliest, segment))
        merged = tf.gather(self._merged, tf.where(chosen, rank, len(self._merged) - 1))
        kept = in_word & ~moved(chosen, 1, False)
        return tf.where(chosen, merged, ids), kept, tf.reduce_any(chosen)


def _one_by_one(pairs: Sequence[tuple[int, int]], merged: Sequence[int]) -> np.ndarray:
    """Whether each merge makes an id that an earlier merge takes; behind them, False.

    Example:
        >>> _one_by_one([(2, 2), (0, 0), (2, 0)], [3, 2, 4]).tolist()
        [False, True, False, False]
    """
    first: dict[int, int] = {}
    for rank, pair in enumerate(pairs):
        for each in pair:
            first.setdefault(each, rank)
    return np.array([*(first.get(x, rank) < rank for rank, x in enumerate(merged)), False])


def _continues(_ids: tf.Tensor, _words: tf.Tensor, any_merged: tf.Tensor) -> tf.Tensor:
    return any_merged


def _every_other(chosen: tf.Tensor) -> tf.Tensor:
    """Keeps every other position of each run, since an id can be merged with one neighbor only.

    Example:
        >>> _every_other(tf.constant([True, True, True, False, True])).numpy().astype(int).tolist()
        [1, 0, 1, 0, 1]
    """
    size = tf.size(chosen)
    begins = chosen & ~moved(chosen, 1, False)
    run = tf.cumsum(to_int(begins))
    targets = tf.where(begins, run, size + 1)
    first = tf.scatter_nd(targets[:, None], tf.range(size), [size + 2])
    return chosen & tf.equal((tf.range(size) - tf.gather(first, run)) % 2, 0)
