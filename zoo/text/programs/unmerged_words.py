"""Words that are a token as a whole, though their merges make others of them."""

from collections.abc import Mapping, Sequence

import numpy as np
import tensorflow as tf

from zoo.text.programs.double_array import Slots
from zoo.text.programs.merges import NO_WORD
from zoo.text.shift import moved

ROOT = 0


class UnmergedWords:
    """Replaces the tokens of a word by one, if the word is among some.

    Llama 3's vocabulary has a few hundred words that no merges make (`ignore_merges` of Hugging
    Face's tokenizers): a word of the vocabulary is its token, and only others are merged. As the
    merges of two words never give the same tokens, it is enough to look at these: they are read
    in a trie from the beginning of each word to its end.

    Args:
        words: The id of each word, by the ids that its merges give, at least two.
        size: Number of ids.

    Example:
        >>> whole = UnmergedWords({(3, 4): 7, (3, 4, 5): 8}, size=9)
        >>> ids, words = tf.constant([3, 4, 3, 4, 5, 3, 4, 4]), [0, 0, 1, 1, 1, 2, 2, 2]
        >>> ids, kept = whole(ids, tf.constant(words))
        >>> ids[kept].numpy().tolist()
        [7, 8, 3, 4, 4]
    """

    def __init__(self, words: Mapping[Sequence[int], int], size: int) -> None:
        self._end = size  # the symbol behind a word
        self._longest = max(map(len, words))
        edges: list[dict[int, int]] = [{}]  # of each state, by symbol
        for ids, number in words.items():
            state = ROOT
            for each in ids:
                state = edges[state].setdefault(each, len(edges))
                if state == len(edges):
                    edges.append({})
            edges[state][size] = number
        self._dead = len(edges)
        slots, base = Slots(first=size + 1), np.zeros(self._dead + 1, np.int32)
        for state, following in enumerate(edges):
            base[state] = slots.base_for(np.array(sorted(following)))
        base[self._dead] = slots.end
        owner, target = np.full((2, slots.end + size + 1), -1, np.int32)
        for state, following in enumerate(edges):
            for symbol, value in following.items():
                owner[base[state] + symbol], target[base[state] + symbol] = state, value
        self._base, self._owner, self._target = base, owner, target

    def __call__(self, ids: tf.Tensor, words: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        """Replaces the ids of the words.

        Args:
            ids: int32 (M,), rows laid end to end.
            words: The number of the word of each id, int32; `NO_WORD` of none.

        Returns:
            The ids, and which of them to keep: of a replaced word the first.
        """
        in_word = words >= 0
        begins = in_word & tf.not_equal(words, moved(words, 1, NO_WORD))
        state, found = tf.zeros_like(ids) + tf.where(begins, ROOT, self._dead), tf.zeros_like(ids)
        for distance in range(self._longest + 1):
            same = in_word & tf.equal(moved(words, -distance, NO_WORD), words)
            index = tf.gather(self._base, state)
            index += tf.where(same, moved(ids, -distance, 0), self._end)
            known = tf.equal(tf.gather(self._owner, index), state)
            value = tf.where(known, tf.gather(self._target, index), self._dead)
            found = tf.where(known & ~same, value + 1, found)
            state = tf.where(same, value, self._dead)
        whole, kept = found > 0, in_word
        for distance in range(1, self._longest):
            behind = tf.equal(moved(words, distance, NO_WORD), words)
            kept &= ~(moved(whole, distance, False) & behind)
        return tf.where(whole, found - 1, ids), kept

    def ragged(self, words: tf.RaggedTensor) -> tf.RaggedTensor:
        """Replaces the int32 ids of words, ragged (words, ids)."""
        rows = words.value_rowids()
        ids, kept = self(words.flat_values, tf.cast(rows, tf.int32))
        ids, rows = tf.boolean_mask(ids, kept), tf.boolean_mask(rows, kept)
        return tf.RaggedTensor.from_value_rowids(ids, rows, words.nrows(), validate=False)
