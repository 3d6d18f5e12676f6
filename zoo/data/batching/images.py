"""Batches of images: read, decoded, resized and changed in parallel."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf

from zoo.data.batching.arrays import (
    LABELS,
    WEIGHTS,
    filled_batches,
    labels_of_rows,
    targets,
    weights_of_rows,
    with_weights,
)
from zoo.data.batching.augment import Augmentation
from zoo.data.batching.batches import Batches, Columns
from zoo.data.images.content import content_of, is_converted
from zoo.data.images.image_list import Image
from zoo.data_statistics import Statistics, collecting, counted, with_statistics
from zoo.preprocessing.images import BYTES, IMAGE, ImagePreprocessor

ROWS, SEED = "rows", "seed"


class ImageSource:
    """Images by their number, in TensorFlow operators; files are read when they are asked for.

    Args:
        images: Paths of files, or arrays.
        preprocessor: Fits images to the size of the model.
    """

    def __init__(self, images: Sequence[Image], preprocessor: ImagePreprocessor) -> None:
        self.preprocessor = preprocessor
        self._of_files = all(isinstance(image, str) for image in images)
        self._images = tf.constant(images if self._of_files else self._fitted(images))
        self._converted = self._of_files and any(is_converted(Path(str(x))) for x in images)

    def _fitted(self, images: Sequence[Image]) -> np.ndarray:
        """All images in memory, in the size of the model; bytes if they are."""
        shape = self.preprocessor.shape
        arrays = [image for image in images if isinstance(image, np.ndarray)]
        same = all(image.shape == shape and image.dtype == np.uint8 for image in arrays)
        if same and len(arrays) == len(images):
            return np.stack(arrays)
        with collecting("training data"):
            return self.preprocessor.all_fitted(images)

    def __call__(self, rows: Any) -> Any:
        """The images (B, H, W, C) with the numbers (B,), float32 from 0 to 255."""
        images = tf.gather(self._images, rows)
        if self._of_files:
            content = tf.map_fn(_converted if self._converted else tf.io.read_file, images)
            images = self.preprocessor.decode(**{BYTES: content})[IMAGE]
        return tf.cast(images, tf.float32)


def _converted(path: Any) -> Any:
    """The bytes of a file, as PNG or JPEG, in a TensorFlow operator that calls Python."""
    read = tf.numpy_function(lambda name: content_of(Path(name.decode())), [path], tf.string)
    return tf.ensure_shape(read, ())


class ImageBatches(Batches):
    """Batches of images with their classes, labels or values.

    The generator gives the numbers of the images only; files are read when their batch is made.
    All batches have the same size: the last is filled up with images without a label.

    Args:
        images: Paths of files, or arrays.
        labels: The class of each image (N,); or its labels or values (N, K).
        preprocessor: Fits images to the size of the model.
        batch_size: Number of images in a batch.
        seed: Seed of shuffling and of changes.
        augmentation: Random changes of training images.
        weights: The weight of each image in the loss, (N,); None if all weigh the same.

    Example:
        >>> from zoo.data.images.header import Shape
        >>> images = [np.full((2, 2, 1), i, np.uint8) for i in range(3)]
        >>> preprocessor = ImagePreprocessor.of(Shape(2, 2, 1), images)
        >>> batches = ImageBatches(images, [0, 1, 1], preprocessor, batch_size=2)
        >>> [labels.numpy().tolist() for _, labels in batches.dataset(shuffle=False)]
        [[0, 1], [1, -1]]
    """

    parallel = tf.data.AUTOTUNE

    def __init__(
        self,
        images: Sequence[Image],
        labels: Sequence[int] | np.ndarray,
        preprocessor: ImagePreprocessor,
        batch_size: int,
        seed: int = 0,
        augmentation: Augmentation | None = None,
        weights: Sequence[float] | None = None,
    ) -> None:
        super().__init__(self._inputs, seed)
        self.labels, self.preprocessor = targets(labels), preprocessor
        self.batch_size = min(batch_size, len(labels))
        self.steps_per_epoch = -(-len(labels) // self.batch_size)
        self.augmentation = augmentation or Augmentation()
        self.weights = None if weights is None else np.array(weights, np.float32)
        self.statistics = Statistics()
        self._source = ImageSource(images, preprocessor)

    def __str__(self) -> str:
        count = counted(len(self.labels), "images")
        steps = counted(self.steps_per_epoch, "batches")
        sizes = "x".join(map(str, (self.batch_size, *self.preprocessor.shape)))
        return with_statistics(f"{count} in {steps} (of {sizes})", self.statistics)

    @property
    def specs(self) -> dict[str, tf.TensorSpec]:
        shape = [self.batch_size, *self.labels.shape[1:]]
        weights = {} if self.weights is None else {WEIGHTS: tf.TensorSpec(shape[:1], tf.float32)}
        return {
            **weights,
            ROWS: tf.TensorSpec(shape[:1], tf.int32),
            LABELS: tf.TensorSpec(shape, self.labels.dtype),
            SEED: tf.TensorSpec([2], tf.int64),
        }

    def columns(self, epoch: int = 0, shuffle: bool = True) -> Iterator[Columns]:
        seed = [self.seed, epoch] if shuffle else None
        batches = filled_batches(len(self.labels), self.batch_size, seed)
        for step, (rows, filled) in enumerate(batches):
            weights = {}
            if self.weights is not None:
                weights[WEIGHTS] = weights_of_rows(self.weights, rows, filled)
            yield {
                **weights,
                ROWS: rows,
                LABELS: labels_of_rows(self.labels, rows, filled),
                SEED: np.array([self.seed, epoch * self.steps_per_epoch + step], np.int64),
            }

    def _inputs(self, batch: dict[str, Any]) -> tuple[Any, ...]:
        """The images of a batch, their labels, and weights if any, in TensorFlow operators."""
        images = self.augmentation(self._source(batch[ROWS]), batch[SEED])
        return with_weights({IMAGE: images}, batch)
