"""Batches of arrays of one shape, with what belongs to each row."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from zoo.data.batching.batches import Batches, Columns
from zoo.data.batching.padded_columns import NO_LABEL
from zoo.data_statistics import counted
from zoo.preprocessing.base import TensorSpec

LABELS, WEIGHTS = "labels", "weights"


def filled_batches(
    count: int, batch_size: int, shuffle_with: Sequence[int] | None = None
) -> Iterator[tuple[np.ndarray, int]]:
    """The row numbers of each batch, all of one size so that XLA compiles once.

    Args:
        count: Number of rows.
        batch_size: Number of rows in a batch.
        shuffle_with: Seed of shuffling; None for the given order.

    Yields:
        The row numbers of a batch, filled up with row 0; and how many of them are filled up.

    Example:
        >>> [(rows.tolist(), filled) for rows, filled in filled_batches(3, 2)]
        [([0, 1], 0), ([2, 0], 1)]
    """
    order = np.arange(count, dtype=np.int32)
    if shuffle_with is not None:
        np.random.default_rng(shuffle_with).shuffle(order)
    for start in range(0, count, batch_size):
        rows = order[start : start + batch_size]
        filled = batch_size - len(rows)
        yield np.pad(rows, (0, filled)), filled


def targets(labels: Sequence[int] | np.ndarray) -> np.ndarray:
    """Numbers of classes as int32; values as float32.

    Example:
        >>> targets([3, 5]).dtype.name, targets([0.5]).dtype.name
        ('int32', 'float32')
    """
    numbers = np.asarray(labels)
    return numbers.astype(np.float32 if numbers.dtype.kind == "f" else np.int32)


def labels_of_rows(labels: np.ndarray, rows: np.ndarray, filled: int) -> np.ndarray:
    """The labels or values of the rows of a batch; those that fill it up have -1, or NaN.

    Example:
        >>> labels_of_rows(np.array([3, 5, 7]), np.array([2, 0]), 1).tolist()
        [7, -1]
        >>> labels_of_rows(np.array([[0.5], [2.5]]), np.array([1, 0]), 1).tolist()
        [[2.5], [nan]]
    """
    chosen: np.ndarray = labels[rows]
    chosen[len(rows) - filled :] = np.nan if labels.dtype.kind == "f" else NO_LABEL
    return chosen


def weights_of_rows(weights: np.ndarray, rows: np.ndarray, filled: int) -> np.ndarray:
    """The weights of the rows of a batch; those that fill it up have 0.

    Example:
        >>> weights_of_rows(np.array([3.0, 5.0]), np.array([1, 0]), 1).tolist()
        [5.0, 0.0]
    """
    chosen: np.ndarray = weights[rows]
    chosen[len(rows) - filled :] = 0
    return chosen


class LabeledArrays(Batches):
    """Batches of rows of arrays that are in memory, with their classes, labels or values.

    Args:
        arrays: The features, arrays (N, ...) by name.
        specs: Spec of each feature.
        labels: The class of each row (N,); or its labels or values (N, K).
        batch_size: Number of rows in a batch.
        what: What the rows are, for the log.
        seed: Seed of shuffling.
        weights: The weight of each row in the loss, (N,); None if all weigh the same.

    Example:
        >>> specs = {"x": TensorSpec(("batch", 1), "float32")}
        >>> batches = LabeledArrays({"x": np.eye(3, 1)}, specs, [0, 1, 1], 2, "rows")
        >>> [labels.numpy().tolist() for _, labels in batches.dataset(shuffle=False)]
        [[0, 1], [1, -1]]
    """

    def __init__(
        self,
        arrays: Mapping[str, np.ndarray],
        specs: Mapping[str, TensorSpec],
        labels: Sequence[int] | np.ndarray,
        batch_size: int,
        what: str,
        seed: int = 0,
        weights: Sequence[float] | None = None,
    ) -> None:
        super().__init__(self._inputs, seed)
        self.weights = None if weights is None else np.array(weights, np.float32)
        self.arrays, self._specs, self.what = arrays, specs, what
        self.labels = targets(labels)
        self.batch_size = min(batch_size, len(labels))
        self.steps_per_epoch = -(-len(labels) // self.batch_size)

    def __str__(self) -> str:
        steps = counted(self.steps_per_epoch, "batches")
        return f"{counted(len(self.labels), self.what)} in {steps} (of {self.batch_size})"

    @property
    def specs(self) -> dict[str, tf.TensorSpec]:
        specs: dict[str, Any] = {name: spec.tensorflow for name, spec in self._specs.items()}
        if self.weights is not None:
            specs[WEIGHTS] = tf.TensorSpec([None], tf.float32)
        return {**specs, LABELS: tf.TensorSpec([None, *self.labels.shape[1:]], self.labels.dtype)}

    def columns(self, epoch: int = 0, shuffle: bool = True) -> Iterator[Columns]:
        seed = [self.seed, epoch] if shuffle else None
        for rows, filled in filled_batches(len(self.labels), self.batch_size, seed):
            features = {name: array[rows] for name, array in self.arrays.items()}
            if self.weights is not None:
                features[WEIGHTS] = weights_of_rows(self.weights, rows, filled)
            yield {**features, LABELS: labels_of_rows(self.labels, rows, filled)}

    def _inputs(self, batch: dict[str, Any]) -> tuple[Any, ...]:
        """The features, the labels, and the weights if there are any."""
        features = {name: batch[name] for name in self.arrays}
        return with_weights(features, batch)


def with_weights(features: dict[str, Any], batch: dict[str, Any]) -> tuple[Any, ...]:
    """Features with the labels of a batch, and with its weights if it has some."""
    return features, batch[LABELS], *([batch[WEIGHTS]] if WEIGHTS in batch else [])
