"""Batches of rows that stay on the disk, padded to a few lengths, in random order."""

from typing import Any

import numpy as np

from zoo.data.batching.bucketed import Bucket, BucketedBatches, fitting
from zoo.data.batching.buckets import bounds
from zoo.data.batching.padded_columns import BatchSize
from zoo.data.shards.arrays import damaged
from zoo.data.shards.manifest import MANIFEST
from zoo.data.shards.permutation import Permuted
from zoo.data.shards.shard import length_key, shard_name
from zoo.errors import UserError


class ShardRows:
    """The rows of a bucket: in each shard those of a range, since shards are sorted by length.

    Args:
        begins: The first row in each shard, counted over all shards.
        counts: The number of rows in each shard.

    Example:
        >>> rows = ShardRows(np.array([2, 10]), np.array([3, 2]))
        >>> rows[np.arange(len(rows))].tolist()
        [2, 3, 4, 10, 11]
    """

    def __init__(self, begins: np.ndarray, counts: np.ndarray) -> None:
        self._ends = counts.cumsum()
        self._shift = begins - (self._ends - counts)

    def __len__(self) -> int:
        return int(self._ends[-1])

    def __getitem__(self, indices: np.ndarray) -> np.ndarray:
        return indices + self._shift[np.searchsorted(self._ends, indices, "right")]


class ShardBatches(Permuted, BucketedBatches):
    """`BucketedBatches` of shards, with memory that does not depend on the number of rows.

    The buckets are those of data in memory; the order is a `Permutation`.

    Args:
        shards: The shards.
        columns: Their columns.
        **options: See `BucketedBatches`.

    Raises:
        UserError: If the manifest of the shards has no scale.
    """

    def __init__(self, shards: Any, columns: Any, *args: Any, **options: Any) -> None:
        if not shards.scale:  # only streams of tokens have none
            raise damaged(shards.folder / MANIFEST, "its scale")
        self._shards, self._stored = shards, columns
        super().__init__(columns, *args, **{**options, "statistics": shards.statistics})

    def _buckets(self, batch_size: BatchSize, max_buckets: int, min_rows: int) -> list[Bucket]:
        scale, shards = self._shards.scale, range(len(self._shards.rows))
        names = list(scale)
        kinds: dict[tuple[int, ...], int] = {}  # rows by their lengths
        for shard in shards:
            stacked = np.stack([*self._lengths(shard).values()])
            sizes, counts = np.unique(stacked, axis=1, return_counts=True)
            for kind, count in zip(map(tuple, sizes.T.tolist()), counts.tolist(), strict=True):
                kinds[kind] = kinds.get(kind, 0) + count
        counts = np.array([*kinds.values()])
        if counts.sum() < min_rows:
            raise UserError(f"at least {min_rows} {self.what} are needed, found {counts.sum()}")
        sizes = np.array([*kinds]).T
        keys = length_key(dict(zip(names, sizes, strict=True)), scale)
        assert keys is not None
        ends = bounds(keys, (sizes[0], sizes[-1]), counts, batch_size, max_buckets)
        group = np.searchsorted(ends, keys)
        kept = [int(counts[group == g].sum()) for g in range(len(ends))]
        while len(kept) > 1 and min(kept) < min_rows:  # joins a small bucket with its neighbor
            index = int(np.argmin(kept))
            other = max(index - 1, 0)
            ends = np.delete(ends, other)
            kept[other : other + 2] = [sum(kept[other : other + 2])]
        group = np.searchsorted(ends, keys)
        cuts = np.array([self._cuts(shard, ends) for shard in shards])  # (shards, buckets + 1)
        firsts = np.cumsum(self._shards.rows) - self._shards.rows
        buckets = []
        for g in range(len(ends)):
            widest = sizes[:, group == g].max(axis=1)
            rows = ShardRows(firsts + cuts[:, g], cuts[:, g + 1] - cuts[:, g])
            a_batch = batch_size(int(widest[0]), int(widest[-1]))
            lengths: dict[str, Any] = {name: () for name in self._columns}
            lengths |= {name: (int(x),) for name, x in zip(names, widest, strict=True)}
            buckets.append(Bucket(rows, lengths, fitting(len(rows), a_batch, min_rows)))
        return buckets

    def _lengths(self, shard: int) -> dict[str, np.ndarray]:
        return {name: self._stored[name].lengths(shard) for name in self._shards.scale}

    def _cuts(self, shard: int, ends: np.ndarray) -> list[int]:
        """Where the rows of each bucket begin in a shard, and where the last end."""
        keys = length_key(self._lengths(shard), self._shards.scale)
        assert keys is not None
        if (np.diff(keys) < 0).any():
            raise damaged(self._shards.folder / shard_name(shard), "its rows are not sorted")
        return [0, *np.searchsorted(keys, ends, "right").tolist()]
