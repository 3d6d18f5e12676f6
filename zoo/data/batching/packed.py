"""Batches of rows in which several texts lie one behind the other."""

import bisect
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from zoo.data.batching.batches import Batches, Columns, Prepare
from zoo.data_statistics import Statistics, counted, with_statistics
from zoo.errors import UserError
from zoo.text.special_tokens import PAD


def best_fit(sizes: Sequence[int], room: int) -> list[list[int]]:
    """Distributes texts over rows, the longest first, each to the fullest row that has room.

    Source: Johnson 1973, "Near-optimal bin packing algorithms" (best fit decreasing).

    Args:
        sizes: The size of each text, at most `room`.
        room: The size of a row.

    Returns:
        The numbers of the texts of each row.

    Example:
        >>> best_fit([3, 6, 4, 2], room=7)
        [[1], [2, 0], [3]]
    """
    rows: list[list[int]] = []
    left: list[tuple[int, int]] = []  # the room that is left in a row, and its number
    for number in sorted(range(len(sizes)), key=lambda each: -sizes[each]):
        place = bisect.bisect_left(left, (sizes[number], 0))
        if place < len(left):
            free, row = left.pop(place)
        else:
            free, row = room, len(rows)
            rows.append([])
        rows[row].append(number)
        bisect.insort(left, (free - sizes[number], row))
    return rows


class PackedBatches(Batches):
    """Rows of several whole texts, of which each token predicts the next one of the same text.

    Texts are put together once; the rows have another order in every epoch.

    Args:
        texts: The ids of each text, at least two and at most `length` + 1.
        length: Number of tokens T of a row.
        batch_size: Batch size B.
        prepare: Function from columns to (inputs, labels).
        seed: Seed of shuffling.
        pad: Id of padding.
        statistics: Counts of unknown tokens and of texts that were cut.
        learned: Whether each token is to be learned, as `texts`; None if all are.

    Columns: `token_ids`, `labels` and `text_numbers`, all (B, T): the tokens that are read, those
    that they predict, padding where nothing is learned, and the number of the text of each from 1,
    0 behind the last. The last batch is filled up with rows of padding.

    Raises:
        UserError: If there are no texts.

    Example:
        >>> texts = [np.array([3, 5, 6, 3]), np.array([3, 7, 3])]
        >>> batches = PackedBatches(texts, 6, batch_size=1, prepare=lambda x: x)
        >>> columns = next(batches.columns(shuffle=False))
        >>> columns["token_ids"].tolist(), columns["labels"].tolist()
        ([[3, 5, 6, 3, 7]], [[5, 6, 3, 7, 3]])
        >>> columns["text_numbers"].tolist()
        [[1, 1, 1, 2, 2]]
    """

    def __init__(
        self,
        texts: Sequence[np.ndarray],
        length: int,
        batch_size: int,
        prepare: Prepare,
        seed: int = 0,
        pad: int = PAD,
        statistics: Statistics | None = None,
        learned: Sequence[np.ndarray] | None = None,
    ) -> None:
        super().__init__(prepare, seed)
        if not texts:
            raise UserError("there are no texts to pack")
        self._texts, self._learned, self.pad = texts, learned, pad
        self.batch_size, self.statistics = batch_size, statistics or Statistics()
        sizes = [len(ids) - 1 for ids in texts]
        self.length = min(length, sum(sizes))
        self.rows = best_fit(sizes, self.length)
        self.steps_per_epoch = -(-len(self.rows) // batch_size)

    def __str__(self) -> str:
        texts, rows = counted(len(self._texts), "texts"), counted(len(self.rows), "rows")
        steps = counted(self.steps_per_epoch, "batches")
        shape = f"{self.batch_size}x{self.length}"
        facts = (
            f"{texts} packed in {rows}, {steps} (batch size x length: {shape}), "
            f"{1 - self.filled:.0%} padding"
        )
        return with_statistics(facts, self.statistics)

    @property
    def filled(self) -> float:
        """Fraction of positions that are not padding."""
        return sum(len(ids) - 1 for ids in self._texts) / (len(self.rows) * self.length)

    def columns(self, epoch: int = 0, shuffle: bool = True) -> Iterator[Columns]:
        random = np.random.default_rng([self.seed, epoch])
        order: Any = self.shuffled(len(self.rows), random) if shuffle else range(len(self.rows))
        for first in range(0, len(order), self.batch_size):
            yield self._batch([self.rows[row] for row in order[first : first + self.batch_size]])

    def _batch(self, rows: Sequence[Sequence[int]]) -> Columns:
        shape = (self.batch_size, self.length)
        ids, labels = np.full((2, *shape), self.pad, np.int32)
        numbers = np.zeros(shape, np.int32)
        for row, texts in enumerate(rows):
            begin = 0
            for number, each in enumerate(texts, start=1):
                text = self._texts[each]
                place = slice(begin, begin + len(text) - 1)
                ids[row, place], numbers[row, place] = text[:-1], number
                labels[row, place] = text[1:]
                if self._learned is not None:
                    labels[row, place][~self._learned[each][1:]] = self.pad
                begin += len(text) - 1
        return {"token_ids": ids, "labels": labels, "text_numbers": numbers}

    @property
    def specs(self) -> dict[str, tf.TensorSpec]:
        shape = [self.batch_size, self.length]
        names = ("token_ids", "labels", "text_numbers")
        return {name: tf.TensorSpec(shape, tf.int32) for name in names}
