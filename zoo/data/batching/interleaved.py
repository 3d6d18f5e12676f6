"""Interleaved batches of several tasks."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import tensorflow as tf

from zoo.data.batching.batches import Batches, Columns
from zoo.data.batching.bucketed import BucketedBatches
from zoo.data.batching.sampling import Sampling
from zoo.data_statistics import Statistics, counted

ALL = Sampling()
TOKENS, TARGETS = "token_ids", "labels"  # the columns of each task


class InterleavedTasks(Batches):
    """Batches of several tasks in random order. Each batch contains examples of a single task.

    If a task has fewer batches than an epoch takes of it, they are repeated in another order; if it
    has more, the next epoch continues with the rest.

    Args:
        parts: The batches of each task, by name, with the columns `token_ids` and `labels`.
        sampling: How often each task is trained.
        seed: Seed of the order.

    Labels are a dictionary by name of the task; for the texts of other tasks, they are what its own
    have in rows of padding, such as -1.
    """

    def __init__(
        self, parts: Mapping[str, BucketedBatches], sampling: Sampling = ALL, seed: int = 0
    ) -> None:
        super().__init__(self._with_labels, seed)
        self.parts, self.sampling = dict(parts), sampling
        self.statistics = sum((part.statistics for part in parts.values()), Statistics())
        self.steps_per_epoch = sum(part.steps_per_epoch for part in self.parts.values())

    def counts(self, epoch: int = 0) -> dict[str, int]:
        """The number of batches of each task in an epoch, counted from 0."""
        sizes = [part.steps_per_epoch for part in self.parts.values()]
        return dict(zip(self.parts, self.sampling.counts(sizes, epoch), strict=True))

    def __str__(self) -> str:
        return "; ".join(
            f"{counted(count, 'batches')} of {name}: {self.parts[name]}"
            for name, count in self.counts().items()
        )

    def _with_labels(self, columns: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
        labels = {name: columns[_targets(name)] for name in self.parts}
        first, part = next(iter(self.parts.items()))
        inputs, _ = part.prepare({TOKENS: columns[TOKENS], TARGETS: labels[first]})
        return inputs, labels

    def steps(self, shuffle: bool) -> int:
        if shuffle:
            return self.steps_per_epoch
        return sum(part.steps(shuffle=False) for part in self.parts.values())

    @property
    def specs(self) -> dict[str, tf.TensorSpec]:
        tokens = next(iter(self.parts.values())).specs[TOKENS]
        targets = {_targets(name): part.specs[TARGETS] for name, part in self.parts.items()}
        return {TOKENS: tokens, **targets}

    def columns(self, epoch: int = 0, shuffle: bool = True) -> Iterator[Columns]:
        if not shuffle:
            for name, part in self.parts.items():
                for columns in part.columns(epoch, shuffle=False):
                    yield self._complete(name, columns)
            return
        counts, before = self.counts(epoch), dict.fromkeys(self.parts, 0)
        for earlier in range(epoch):
            for name, count in self.counts(earlier).items():
                before[name] += count
        order = np.repeat(np.array(list(counts), object), list(counts.values()))
        np.random.default_rng([self.seed, epoch]).shuffle(order)
        streams = {name: _batches_from(part, before[name]) for name, part in self.parts.items()}
        for name in order:
            yield self._complete(name, next(streams[name]))

    def _complete(self, name: str, columns: Columns) -> Columns:
        """The columns of a batch of one task, with targets of all others that are padding."""
        size, *lengths = columns[TOKENS].shape
        targets = {
            _targets(other): part.padding_of(TARGETS, size, tuple(lengths))
            for other, part in self.parts.items()
            if other != name
        }
        return {TOKENS: columns[TOKENS], _targets(name): columns[TARGETS], **targets}


def _targets(name: str) -> str:
    """The column of the targets of a task."""
    return f"{name}/{TARGETS}"


def _batches_from(part: BucketedBatches, batch: int) -> Iterator[Columns]:
    """Yields the batches of consecutive epochs, starting with a given batch."""
    epoch, skipped = divmod(batch, part.steps_per_epoch)
    while True:
        for number, each in enumerate(part.columns(epoch)):
            if number >= skipped:
                yield each
        epoch, skipped = epoch + 1, 0
