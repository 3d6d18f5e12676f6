"""Tokenized data: what batches are made of, in memory or on the disk."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from zoo.data.batching.batches import Prepare
from zoo.data.batching.bucketed import BucketedBatches
from zoo.data.batching.columns import BatchSize, Column
from zoo.data_statistics import Statistics


@dataclass(frozen=True)
class Tokenized:
    """The columns of examples, and counts of truncated, skipped and unknown data.

    Args:
        columns: The columns by name.
        statistics: The counts.
    """

    columns: Mapping[str, Column]
    statistics: Statistics = field(default_factory=Statistics)

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
            self.columns,
            prepare,
            batch_size,
            max_buckets,
            seed,
            min_rows,
            what,
            self.statistics,
        )
