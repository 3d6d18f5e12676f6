"""Columns whose values stay on the disk; only those of a batch are read."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

import numpy as np
import tensorflow as tf

from zoo.data.batching.padded_columns import NO_LABEL, Lengths
from zoo.data.shards.arrays import damaged, map_array
from zoo.data.shards.manifest import SCALARS, Shards
from zoo.data.shards.shard import shard_name
from zoo.errors import UserError

TYPES = ("uint16", "int32")  # of ids and labels
OPEN = 256  # number of files of a column that are open at the same time
Groups = list[tuple[int, slice]]  # shards, and which of several values are in each


@dataclass(frozen=True)
class StoredColumn:
    """A column of several shards.

    Args:
        folder: The folder of the shards.
        name: Name of the column.
        rows: Number of rows of each shard.
        values: Number of values of each shard.
        limit: All values must be below this number, and not below 0.
        fill: Value of padding.
    """

    folder: Path
    name: str
    rows: tuple[int, ...]
    values: tuple[int, ...]
    limit: int
    fill: int

    @cached_property
    def _ends(self) -> np.ndarray:
        """Number of rows up to the end of each shard."""
        return np.cumsum(self.rows)

    @cached_property
    def _begins(self) -> np.ndarray:
        """Number of rows up to the begin of each shard."""
        return self._ends - self.rows

    @cached_property
    def _mapped(self) -> Callable[..., np.ndarray]:
        """`_map`, of which the last results are kept."""
        return lru_cache(OPEN)(self._map)

    def __len__(self) -> int:
        return int(self._ends[-1])

    def _map(self, shard: int, offsets: bool = False) -> np.ndarray:
        path = self.folder / shard_name(shard)
        if offsets:
            return map_array(path / f"{self.name}.offsets.npy", ("int64",), self.rows[shard] + 1)
        return map_array(path / f"{self.name}.npy", TYPES, self.values[shard])

    def located(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray, Groups]:
        """Sorts rows by shard: their order, their indices in shards, and those of each shard."""
        shards = np.searchsorted(self._ends, rows, "right")
        order = np.argsort(shards, kind="stable")
        shards = shards[order]
        begins = np.flatnonzero(np.diff(shards, prepend=-1)).tolist()
        each = zip(begins, [*begins, len(rows)][1:], strict=True)
        groups = [(int(shards[begin]), slice(begin, end)) for begin, end in each]
        return order, rows[order] - self._begins[shards], groups

    def read(self, indices: np.ndarray, groups: Groups) -> np.ndarray:
        """Values, int32, at indices in the shards of each group, none of which is out of range."""
        values = np.empty(len(indices), np.int32)
        for shard, part in groups:
            values[part] = self._mapped(shard)[indices[part]]
        if not self._inside(values):
            shard = next(s for s, part in groups if not self._inside(values[part]))
            path = self.folder / shard_name(shard) / f"{self.name}.npy"
            raise damaged(path, f"it has values that are not below {self.limit}")
        return values

    def _inside(self, values: np.ndarray) -> bool:
        return bool(((values >= 0) & (values < self.limit)).all())


@dataclass(frozen=True)
class StoredScalars(StoredColumn):
    """One number for each row, as `zoo.data.batching.padded_columns.Numbers`.

    It may also be a stream of tokens, of which each is a row, and is indexed like an array.
    """

    @property
    def used(self) -> int:
        """Number of positions without padding, along axes that are padded."""
        return 0

    @property
    def spec(self) -> tf.TensorSpec:
        """The spec of a batch."""
        return tf.TensorSpec([None], tf.int32)

    def __getitem__(self, rows: np.ndarray) -> np.ndarray:
        flat = rows.reshape(-1)
        order, indices, groups = self.located(flat)
        values = np.empty(len(flat), np.int32)
        values[order] = self.read(indices, groups)
        return values.reshape(rows.shape)

    def batch(self, rows: np.ndarray, size: int, lengths: Lengths = ()) -> np.ndarray:
        """The values of some rows, padded to a batch size."""
        return np.pad(self[rows], (0, size - len(rows)), constant_values=self.fill)


@dataclass(frozen=True)
class StoredSequences(StoredColumn):
    """A sequence of ids for each row, as `zoo.data.batching.padded_columns.Sequences`."""

    @property
    def used(self) -> int:
        """Number of positions without padding, along axes that are padded."""
        return sum(self.values)

    @property
    def spec(self) -> tf.TensorSpec:
        """The spec of a batch."""
        return tf.TensorSpec([None, None], tf.int32)

    def lengths(self, shard: int) -> np.ndarray:
        """The lengths of the rows of a shard, which are checked."""
        offsets = np.array(self._mapped(shard, True))
        lengths = np.diff(offsets)
        if offsets[0] != 0 or offsets[-1] != self.values[shard] or (lengths < 0).any():
            path = self.folder / shard_name(shard) / f"{self.name}.offsets.npy"
            raise damaged(path, "its offsets are not those of rows")
        return lengths

    def batch(self, rows: np.ndarray, size: int, lengths: Lengths) -> np.ndarray:
        """The sequences of some rows, padded to a length and to a batch size."""
        (length,) = lengths
        order, indices, groups = self.located(rows)
        begins, ends = np.empty((2, len(rows)), np.int64)
        for shard, part in groups:
            offsets = self._mapped(shard, True)
            begins[part], ends[part] = offsets[indices[part]], offsets[indices[part] + 1]
        inside = np.arange(length) < (ends - begins)[:, None]
        cuts = np.concatenate([[0], inside.sum(axis=1).cumsum()])
        ids = [(shard, slice(cuts[part.start], cuts[part.stop])) for shard, part in groups]
        block = np.full(inside.shape, self.fill, np.int32)
        block[inside] = self.read((begins[:, None] + np.arange(length))[inside], ids)
        padded = np.full((size, length), self.fill, np.int32)
        padded[order] = block
        return padded

    def __getitem__(self, row: int) -> np.ndarray:
        """The ids of one row."""
        _, (index,), ((shard, _),) = self.located(np.array([row]))
        begin, end = self._mapped(shard, True)[index : index + 2]
        return self.read(np.arange(begin, end), [(shard, slice(None))])


def columns_of(shards: Shards, limits: Mapping[str, int], pad: int) -> dict[str, StoredColumn]:
    """The columns of prepared data.

    Args:
        shards: The data.
        limits: The number above the values of each column, by name.
        pad: Id of padding.

    Raises:
        UserError: If the data has other columns.
    """
    if set(limits) != set(shards.kinds):
        raise UserError(
            f"{shards.folder} has the columns {', '.join(shards.kinds)}, expected "
            f"{', '.join(limits)}: prepare the data again"
        )
    columns: dict[str, StoredColumn] = {}
    for name, kind in shards.kinds.items():
        made = StoredScalars if kind == SCALARS else StoredSequences
        fill = NO_LABEL if kind == SCALARS else pad
        facts = (shards.folder, name, shards.rows, shards.values[name], limits[name], fill)
        columns[name] = made(*facts)
    return columns
