"""Tokenized data: what batches are made of, in memory or on the disk."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from zoo.data.batching.columns import Column
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
