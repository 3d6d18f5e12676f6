"""Batches of images with captions: one row for each caption."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import tensorflow as tf

from zoo.data.batching.augment import Augmentation
from zoo.data.batching.batches import Columns, Prepare
from zoo.data.batching.bucketed import BucketedBatches
from zoo.data.batching.images import ROWS, SEED, ImageSource
from zoo.data.batching.padded_columns import Column, Numbers, Sequences
from zoo.data_statistics import Statistics
from zoo.preprocessing.images import IMAGE


class CaptionBatches(BucketedBatches):
    """Batches of captions of similar length, each with its image.

    Args:
        source: The images.
        rows: The number of the image of each caption, (N,).
        captions: The ids of the captions.
        prepare: Function from `image` (B, H, W, C) and `target_ids` (B, T) to (inputs, labels), in
            TensorFlow operators.
        batch_size: Number of captions in a batch.
        max_buckets: Maximum number of lengths.
        seed: Seed of shuffling and of changes.
        augmentation: Random changes of the images.
        statistics: Counts of truncated and unknown data.
    """

    parallel = tf.data.AUTOTUNE

    def __init__(
        self,
        source: ImageSource,
        rows: np.ndarray,
        captions: Sequences,
        prepare: Prepare,
        batch_size: int,
        max_buckets: int,
        seed: int,
        augmentation: Augmentation,
        statistics: Statistics,
    ) -> None:
        indices = Numbers(rows.astype(np.int32), fill=0)
        columns: dict[str, Column] = {"target_ids": captions, ROWS: indices}

        def with_images(batch: dict[str, Any]) -> tuple[Any, Any]:
            images = augmentation(source(batch[ROWS]), batch[SEED])
            return prepare({IMAGE: images, "target_ids": batch["target_ids"]})

        super().__init__(
            columns,
            with_images,
            lambda *_: batch_size,
            max_buckets,
            seed,
            what="captions",
            statistics=statistics,
        )

    @property
    def specs(self) -> dict[str, tf.TensorSpec]:
        return {**super().specs, SEED: tf.TensorSpec([2], tf.int64)}

    def part(self, epoch: int, shuffle: bool, steps: slice) -> Iterator[Columns]:
        first, every = epoch * self.steps_per_epoch, range(*steps.indices(self.steps_per_epoch))
        for step, batch in zip(every, super().part(epoch, shuffle, steps), strict=True):
            yield {**batch, SEED: np.array([self.seed, first + step], np.int64)}
