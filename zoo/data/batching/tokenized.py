"""Tokenized data: what batches are made of, in memory or on the disk."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from zoo.data.batching.batches import Prepare
from zoo.data.batching.bucketed import BucketedBatches
from zoo.data.batching.padded_columns import BatchSize, Column
from zoo.data.batching.windows import Others, TokenWindows
from zoo.data_statistics import Statistics
from zoo.text.special_tokens import PAD


@dataclass(frozen=True)
class Tokenized:
    """The columns of examples, and counts of truncated, skipped and unknown data.

    Args:
        columns: The columns by name.
        statistics: The counts.
    """

    window_batches: ClassVar[type[TokenWindows]] = TokenWindows
    columns: Mapping[str, Column]
    statistics: Statistics = field(default_factory=Statistics)

    @property
    def in_memory(self) -> bool:
        """Whether all rows are in memory, so that looking at each takes no time."""
        return True

    def shuffled(self, count: int, random: np.random.Generator) -> Any:
        """A random order of `count` rows: an array, or what is indexed like one."""
        return random.permutation(count)

    @property
    def stream(self) -> Any:
        """The ids in the column `token_ids`: an array, or what is indexed like one."""
        stream: Any = self.columns["token_ids"]
        return stream.values

    def windows(
        self,
        length: int,
        batch_size: int,
        prepare: Prepare,
        stateful: bool = False,
        seed: int = 0,
        pad: int = PAD,
        only_read: Sequence[int] = (),
    ) -> TokenWindows:
        """Batches of windows of the stream in the column `token_ids`; see `TokenWindows`.

        Args:
            length, batch_size, prepare, stateful, seed, pad: See `TokenWindows`.
            only_read: Ids that are not to be learned, such as that of the start token.
        """
        column: Any = self.columns.get("is_answer")
        answers = None if column is None else column.values
        if answers is None and only_read:
            answers = Others(self.stream, only_read)
        return self.window_batches(
            self.stream,
            length,
            batch_size,
            prepare,
            stateful,
            seed,
            pad,
            self.statistics,
            answers,
        )

    def bucketed(
        self,
        prepare: Prepare,
        batch_size: BatchSize,
        max_buckets: int,
        seed: int,
        min_rows: int = 1,
        what: str = "examples",
    ) -> BucketedBatches:
        """Batches of the rows, padded to a few lengths; see `BucketedBatches`."""
        return BucketedBatches(
            self.columns, prepare, batch_size, max_buckets, seed, min_rows, what, self.statistics
        )
