"""Padded batches of few shapes, for examples of different lengths."""

import itertools
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import tensorflow as tf

from zoo.data.batching.batches import Batches, Columns, Prepare
from zoo.data.batching.buckets import MAX_BUCKETS, choose_buckets
from zoo.data.batching.padded_columns import BatchSize, Column, Lengths
from zoo.data_statistics import Statistics, counted, with_statistics
from zoo.errors import UserError

EXAMPLES = 50  # mean number of examples in a batch if its number of tokens is not given


@dataclass(frozen=True)
class Bucket:
    """Examples that are padded to one shape.

    Args:
        rows: Indices of the examples, ascending; an array, or what is indexed like one.
        lengths: Lengths that each column is padded to, by name.
        batch_size: Batch size B.
    """

    rows: Any
    lengths: dict[str, Lengths]
    batch_size: int

    @property
    def steps(self) -> int:
        """Number of batches in an epoch."""
        return -(-len(self.rows) // self.batch_size)

    @property
    def positions(self) -> int:
        """Number of positions of an epoch, including padding."""
        a_row = sum(math.prod(lengths) for lengths in self.lengths.values() if lengths)
        return self.steps * self.batch_size * a_row


class BucketedBatches(Batches):
    """Batches padded to a few length buckets, since every batch shape requires a compilation.

    All batches of a bucket have the same shape: the last one is filled up with rows of padding.

    Args:
        columns: The columns of the examples. The lengths of the first two columns of sequences
            (or of the only one), or both lengths of a column of documents, determine the bucket.
        prepare: Function from columns to (inputs, labels), in TensorFlow operators.
        batch_size: Function from these two lengths to the batch size.
        max_buckets: Maximum number of shapes.
        seed: Seed of shuffling.
        min_rows: Minimum number of examples in every batch.
        what: What the examples are, for the log.
        statistics: Counts of truncated, skipped and unknown data.
        in_epoch: Function from the number of an epoch to its columns when it is shuffled, if they
            differ; no row is longer than in `columns`, or it is shortened by the column.

    Raises:
        UserError: If there are fewer than `min_rows` examples.

    Example:
        >>> from zoo.data.batching.padded_columns import Sequences
        >>> column = Sequences(np.array([7, 8, 9]), np.array([1, 2]), fill=0)
        >>> batches = BucketedBatches({"ids": column}, lambda x: x, tokens_per_batch(9))
        >>> [x["ids"].tolist() for x in batches.columns(shuffle=False)]
        [[[7]], [[8, 9]]]
    """

    def __init__(
        self,
        columns: Mapping[str, Column],
        prepare: Prepare,
        batch_size: BatchSize,
        max_buckets: int = MAX_BUCKETS,
        seed: int = 0,
        min_rows: int = 1,
        what: str = "examples",
        statistics: Statistics | None = None,
        in_epoch: Callable[[int], Mapping[str, Column]] | None = None,
    ) -> None:
        super().__init__(prepare, seed)
        self._columns, self.what, self._in_epoch = dict(columns), what, in_epoch
        self.statistics = statistics or Statistics()
        self.buckets = self._buckets(batch_size, max_buckets, min_rows)
        self.steps_per_epoch = sum(bucket.steps for bucket in self.buckets)

    def _buckets(self, batch_size: BatchSize, max_buckets: int, min_rows: int) -> list[Bucket]:
        sizes = {name: column.sizes for name, column in self._columns.items()}
        first, *others = itertools.chain(*sizes.values())
        if len(first) < min_rows:
            raise UserError(f"at least {min_rows} {self.what} are needed, found {len(first)}")
        second = others[0] if others else first
        nested = any(len(each) == 2 for each in sizes.values())
        groups = choose_buckets(first, second, batch_size, max_buckets, nested)
        buckets = []
        for rows in _merged(groups, min_rows):
            lengths = {
                name: tuple(int(each[rows].max()) for each in both) for name, both in sizes.items()
            }
            size = batch_size(int(first[rows].max()), int(second[rows].max()))
            buckets.append(Bucket(rows, lengths, fitting(len(rows), size, min_rows)))
        return buckets

    def __str__(self) -> str:
        count = sum(len(bucket.rows) for bucket in self.buckets)
        shapes = " ".join(
            "x".join(map(str, (bucket.batch_size, *itertools.chain(*bucket.lengths.values()))))
            for bucket in self.buckets
        )
        facts = (
            f"{counted(count, self.what)} in {counted(self.steps_per_epoch, 'batches')} "
            f"(batch size x lengths: {shapes}), {self.padding:.0%} padding"
        )
        return with_statistics(facts, self.statistics)

    @property
    def padding(self) -> float:
        """Fraction of positions that are padding."""
        used = sum(int(column.used) for column in self._columns.values())
        return 1 - used / sum(bucket.positions for bucket in self.buckets)

    @property
    def specs(self) -> dict[str, tf.TensorSpec]:
        return {name: column.spec for name, column in self._columns.items()}

    def padding_of(self, name: str, size: int, lengths: Lengths) -> np.ndarray:
        """What a column has in a batch that consists of padding.

        Args:
            name: Name of the column.
            size: Batch size.
            lengths: Lengths that sequences are padded to.
        """
        column = self._columns[name]
        return column.batch(np.zeros(0, int), size, lengths if column.sizes else ())

    def columns(self, epoch: int = 0, shuffle: bool = True) -> Iterator[Columns]:
        return self.part(epoch, shuffle, slice(None))

    def part(self, epoch: int, shuffle: bool, steps: slice) -> Iterator[Columns]:
        random = np.random.default_rng([self.seed, epoch])
        order = self.shuffled if shuffle else lambda count, _: range(count)
        indices = [order(len(bucket.rows), random) for bucket in self.buckets]
        batches = order(self.steps_per_epoch, random)
        ends = np.cumsum([bucket.steps for bucket in self.buckets])
        columns: Mapping[str, Column] = self._columns
        if shuffle and self._in_epoch is not None:
            columns = self._in_epoch(epoch)
        for step in range(*steps.indices(self.steps_per_epoch)):
            (batch,) = batches[step : step + 1]
            number = int(np.searchsorted(ends, batch, "right"))
            bucket = self.buckets[number]
            begin = int(batch - ends[number] + bucket.steps) * bucket.batch_size
            rows = bucket.rows[np.asarray(indices[number][begin : begin + bucket.batch_size])]
            yield {
                name: column.batch(rows, bucket.batch_size, bucket.lengths[name])
                for name, column in columns.items()
            }


def default_batch_tokens(column: Column, rows: int) -> int:
    """The number of tokens of a batch of about 50 examples.

    Args:
        column: The tokens of the examples.
        rows: The number of examples.

    Example:
        >>> from zoo.data.batching.padded_columns import Sequences
        >>> default_batch_tokens(Sequences.of([[7, 8, 9], [7]], fill=0), rows=2)
        100
    """
    return max(1, round(EXAMPLES * column.used / rows))


def words_per_batch(words: int) -> BatchSize:
    """Returns a function from numbers of sentences and of words to the batch size of documents.

    Args:
        words: Maximum number of words of a batch, including padding.

    Example:
        >>> words_per_batch(24)(3, 4)
        2
    """
    return lambda sentences, longest: max(1, words // (sentences * longest))


def tokens_per_batch(tokens: int, sequences: int = 1, min_rows: int = 1) -> BatchSize:
    """Returns a function from two lengths to the batch size, given a number of tokens.

    Args:
        tokens: Maximum number of tokens of a batch, including padding, on the longer side.
        sequences: Number of sequences of that length in each row.
        min_rows: Minimum batch size.

    Example:
        >>> tokens_per_batch(12)(3, 4)
        3
    """
    return lambda first, second: max(min_rows, tokens // (sequences * max(first, second)))


def _merged(groups: list[np.ndarray], min_rows: int) -> list[np.ndarray]:
    """Merges neighboring groups, short examples first, until each has at least `min_rows` rows."""
    merged = [groups[0]]
    for group in groups[1:]:
        if min(len(merged[-1]), len(group)) < min_rows:
            merged[-1] = np.sort(np.concatenate([merged[-1], group]))
        else:
            merged.append(group)
    return merged


def fitting(rows: int, size: int, min_rows: int) -> int:
    """The largest batch size up to `size`, or else the smallest above, with no short last batch."""
    sizes = itertools.chain(range(min(size, rows), min_rows - 1, -1), range(size + 1, rows + 1))
    return next(s for s in sizes if rows % s == 0 or rows % s >= min_rows)
