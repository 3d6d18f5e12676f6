"""Columns of examples in memory with several numbers for each example."""

from dataclasses import dataclass

import numpy as np
import tensorflow as tf

from zoo.data.batching.padded_columns import Lengths


@dataclass(frozen=True)
class Vectors:
    """A vector of fixed length for each example.

    Args:
        values: Array (N, C).
        fill: Value in padding rows.

    Example:
        >>> column = Vectors(np.array([[1.5, 2.5]], np.float32), fill=-1)
        >>> column.batch(np.array([0]), size=2).tolist()
        [[1.5, 2.5], [-1.0, -1.0]]
    """

    values: np.ndarray
    fill: float

    def __len__(self) -> int:
        return len(self.values)

    @property
    def sizes(self) -> tuple[np.ndarray, ...]:
        """The lengths of the examples along each axis that is padded: none."""
        return ()

    @property
    def used(self) -> int:
        """Number of positions without padding, along axes that are padded."""
        return 0

    @property
    def spec(self) -> tf.TensorSpec:
        """The spec of a batch."""
        return tf.TensorSpec([None, self.values.shape[1]], self.values.dtype)

    def batch(self, rows: np.ndarray, size: int, lengths: Lengths = ()) -> np.ndarray:
        """The vectors of some rows, padded to a batch size."""
        padding = [(0, size - len(rows)), (0, 0)]
        return np.pad(self.values[rows], padding, constant_values=self.fill)
