"""Batches of several tasks in turns, each as often as is asked for."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import tensorflow as tf

from zoo.data.epochs import Batch, Epochs
from zoo.data.labelled_batches import NO_LABEL, BucketedTexts
from zoo.errors import UserError


class SampledTasks(Epochs):
    """Batches of several tasks' labelled texts, one task a batch, in random order.

    Source: Stickland & Murray 2019, section 4.1.
    Formula: of a task with n_t batches an epoch has `N n_t^a / sum_u n_u^a`, N being the number of
    batches of all tasks together

    A task that has fewer batches than that begins anew, shuffled anew; one that has more goes on in
    the next epoch. Epoch k is the same whether or not earlier ones were read.

    Args:
        parts: The batches of each task, by name.
        exponent: 1 takes each task as often as it has batches, 0 all equally often.
        seed: Of the order.

    Outputs: batches (x, labels), labels (B,) by name of the task; -1 where a text is of another.

    Raises:
        UserError: If the exponent is not in [0, 1].

    Example:
        >>> from zoo.data.tokenized import TokenizedTexts
        >>> from zoo.text import train_tokenizer
        >>> texts = TokenizedTexts(["ab", "b"], train_tokenizer("characters", ["ab"], 10), 9)
        >>> parts = {name: BucketedTexts(texts, [1, 0], 8, 1) for name in ("left", "right")}
        >>> x, labels = next(SampledTasks(parts).batches(shuffle=False))
        >>> {name: numbers.tolist() for name, numbers in labels.items()}
        {'left': [1, 0], 'right': [-1, -1]}
    """

    def __init__(
        self, parts: Mapping[str, BucketedTexts], exponent: float = 1.0, seed: int = 0
    ) -> None:
        if not 0 <= exponent <= 1:
            raise UserError(f"sampling must be from 0 to 1, got {exponent}")
        self.parts, self.seed = dict(parts), seed
        sizes = np.array([part.steps_per_epoch for part in self.parts.values()], "float64")
        share = sizes**exponent / (sizes**exponent).sum()
        counts = np.maximum(1, np.round(share * sizes.sum())).astype(int)
        self.counts = dict(zip(self.parts, counts.tolist(), strict=True))
        self.steps_per_epoch = int(counts.sum())

    def __str__(self) -> str:
        return ", ".join(f"{count} batches of {name}" for name, count in self.counts.items())

    def steps(self, shuffle: bool) -> int:
        if shuffle:
            return self.steps_per_epoch
        return sum(part.steps(shuffle=False) for part in self.parts.values())

    @property
    def signature(self) -> Any:
        x, _ = next(iter(self.parts.values())).signature
        return x, dict.fromkeys(self.parts, tf.TensorSpec([None], tf.int32))

    def batches(self, epoch: int = 0, shuffle: bool = True) -> Iterator[Batch]:
        if not shuffle:
            for name, part in self.parts.items():
                for x, labels in part.batches(epoch, shuffle=False):
                    yield x, self._labels(name, labels)
            return
        order = np.repeat(np.arange(len(self.parts)), list(self.counts.values()))
        np.random.default_rng([self.seed, epoch]).shuffle(order)
        streams = {
            name: _from(part, epoch * self.counts[name]) for name, part in self.parts.items()
        }
        names = list(self.parts)
        for number in order:
            name = names[number]
            x, labels = next(streams[name])
            yield x, self._labels(name, labels)

    def _labels(self, name: str, labels: np.ndarray) -> dict[str, np.ndarray]:
        none = np.full_like(labels, NO_LABEL)
        return {each: labels if each == name else none for each in self.parts}


def _from(part: BucketedTexts, batch: int) -> Iterator[Batch]:
    """The batches of one epoch after the other, from the given one on."""
    epoch, skipped = divmod(batch, part.steps_per_epoch)
    while True:
        for number, each in enumerate(part.batches(epoch)):
            if number >= skipped:
                yield each
        epoch, skipped = epoch + 1, 0
