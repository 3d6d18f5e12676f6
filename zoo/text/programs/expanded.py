"""Rows of entries of a table, each of which stands for a sequence of numbers."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from zoo.text.programs.code_points import smallest
from zoo.text.programs.ragged import axis_size, columns, packed


class Expanded:
    """Puts the numbers of sequences in the place of their entries.

    Args:
        entries: The sequences.
        fill: The number behind each row.

    Example:
        >>> expanded = Expanded([(5, 6), (), (7,)], fill=0)
        >>> rows, counts = expanded(tf.constant([[0, 2, 1], [1, 1, 2]]))
        >>> rows.numpy().tolist(), counts.numpy().tolist()
        ([[5, 6, 7], [7, 0, 0]], [3, 1])
    """

    def __init__(self, entries: Sequence[Sequence[int]], fill: int) -> None:
        sizes = [len(each) for each in entries]
        self._sizes, self._longest, self._fill = smallest(np.array(sizes)), max(sizes), fill
        self._begins = np.cumsum([0, *sizes[:-1]]).astype(np.int32)
        self._pool = smallest(np.array([x for each in entries for x in each] + [fill]))

    def __call__(self, entries: tf.Tensor, most: int | None = None) -> tuple[tf.Tensor, tf.Tensor]:
        """Converts rows of entries, int32 (B, C), to rows of numbers.

        Args:
            entries: The entries.
            most: The greatest possible number of numbers in a row, if sizes are static.

        Returns:
            The numbers, int32 (B, L), and how many each row has (B,).
        """
        rows, width = axis_size(entries, 0), axis_size(entries, 1)
        size = tf.cast(tf.gather(self._sizes, entries), tf.int32)
        begin = tf.gather(self._begins, entries)
        ends, counts = tf.cumsum(size, axis=1), tf.reduce_sum(size, axis=1)
        static = entries.shape.is_fully_defined()
        length = columns(counts, (most or width * self._longest) if static else None)
        # The entry of each number: how many entries with numbers have begun, of which it is last.
        shown, start = size > 0, ends - size
        shift, _ = packed(tf.reshape(begin - start, [-1]), tf.reshape(shown, [-1]), rows, 0, width)
        end: Any = rows * (length + 1)
        targets = tf.where(shown, start + tf.range(rows)[:, None] * (length + 1), end)
        ones = tf.ones_like(tf.reshape(entries, [-1]))
        begun = tf.scatter_nd(tf.reshape(targets, [-1, 1]), ones, [end + 1])
        entry = tf.cumsum(tf.reshape(begun[:-1], [rows, length + 1]), axis=1)[:, :-1] - 1
        entry = tf.maximum(entry, 0) + tf.range(rows)[:, None] * width
        source = tf.range(length) + tf.gather(tf.reshape(shift, [-1]), entry)
        inside = tf.range(length) < counts[:, None]
        numbers = tf.cast(tf.gather(self._pool, tf.where(inside, source, 0)), tf.int32)
        return tf.where(inside, numbers, self._fill), counts
