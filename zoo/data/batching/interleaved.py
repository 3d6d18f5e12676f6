"""Interleaved batches of several tasks."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import tensorflow as tf

from zoo.data.batching.batches import Batches, Columns
from zoo.data.batching.bucketed import BucketedBatches
from zoo.data.batching.padded_columns import NO_LABEL
from zoo.data_statistics import Statistics, counted
from zoo.errors import UserError

NUMBER = "task_number"  # column with the number of the task of a batch


class InterleavedTasks(Batches):
    """Batches of several tasks in random order. Each batch contains examples of a single task.

    Source: Stickland & Murray 2019, section 4.1.
    Formula: in each epoch, task t contributes `N n_t^a / sum_u n_u^a` batches, where n_t is its
    number of batches, N that of all tasks together, and a the exponent

    If a task has fewer batches, they are repeated in another order; if it has more, the next epoch
    continues with the rest.

    Args:
        parts: The batches of each task, by name.
        exponent: 1 samples tasks in proportion to their number of batches, 0 all equally often.
        seed: Seed of the order.

    Labels are a dictionary by name of the task; they are -1 for the texts of other tasks.

    Raises:
        UserError: If the exponent is not in [0, 1].
    """

    def __init__(
        self, parts: Mapping[str, BucketedBatches], exponent: float = 1.0, seed: int = 0
    ) -> None:
        if not 0 <= exponent <= 1:
            raise UserError(f"sampling must be from 0 to 1, got {exponent}")
        super().__init__(self._with_labels, seed)
        self.parts = dict(parts)
        self.statistics = sum((part.statistics for part in parts.values()), Statistics())
        sizes = np.array([part.steps_per_epoch for part in self.parts.values()], "float64")
        share = sizes**exponent / (sizes**exponent).sum()
        counts = np.maximum(1, np.round(share * sizes.sum())).astype(int)
        self.counts = dict(zip(self.parts, counts.tolist(), strict=True))
        self.steps_per_epoch = int(counts.sum())

    def __str__(self) -> str:
        return "; ".join(
            f"{counted(count, 'batches')} of {name}: {self.parts[name]}"
            for name, count in self.counts.items()
        )

    def _with_labels(self, columns: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
        columns = dict(columns)
        number = columns.pop(NUMBER)
        inputs, labels = next(iter(self.parts.values())).prepare(columns)
        none = tf.fill(tf.shape(labels), tf.constant(NO_LABEL, labels.dtype))
        return inputs, {
            name: tf.where(tf.equal(number, index), labels, none)
            for index, name in enumerate(self.parts)
        }

    def steps(self, shuffle: bool) -> int:
        if shuffle:
            return self.steps_per_epoch
        return sum(part.steps(shuffle=False) for part in self.parts.values())

    @property
    def specs(self) -> dict[str, tf.TensorSpec]:
        part = next(iter(self.parts.values()))
        return {**part.specs, NUMBER: tf.TensorSpec([], tf.int32)}

    def columns(self, epoch: int = 0, shuffle: bool = True) -> Iterator[Columns]:
        if not shuffle:
            for index, part in enumerate(self.parts.values()):
                for columns in part.columns(epoch, shuffle=False):
                    yield {**columns, NUMBER: np.asarray(index, "int32")}
            return
        order = np.repeat(np.arange(len(self.parts)), list(self.counts.values()))
        np.random.default_rng([self.seed, epoch]).shuffle(order)
        streams = [
            _batches_from(part, epoch * self.counts[name]) for name, part in self.parts.items()
        ]
        for number in order:
            yield {**next(streams[number]), NUMBER: np.asarray(number, "int32")}


def _batches_from(part: BucketedBatches, batch: int) -> Iterator[Columns]:
    """Yields the batches of consecutive epochs, starting with a given batch."""
    epoch, skipped = divmod(batch, part.steps_per_epoch)
    while True:
        for number, each in enumerate(part.columns(epoch)):
            if number >= skipped:
                yield each
        epoch, skipped = epoch + 1, 0
