"""Batches that come epoch after epoch, the same whenever they are read."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
import tensorflow as tf

from zoo.data_statistics import Statistics

Columns = dict[str, np.ndarray]
Prepare = Callable[[dict[str, Any]], tuple[Any, Any]]  # columns to (inputs of the model, labels)


class Batches:
    """What `model.fit` reads: columns of arrays, and how they become inputs and labels.

    A subclass gives the columns of each batch; `prepare` turns them into what the model takes, in
    TensorFlow operators, as in artifacts.

    Args:
        prepare: From columns to (inputs, labels), in TensorFlow operators.
        seed: Seed of the shuffling and of whatever else is random.

    Attributes:
        steps_per_epoch: Number of batches in every shuffled epoch.
        statistics: What of the data is in no batch, truncated or unknown.
    """

    steps_per_epoch: int
    statistics: Statistics = Statistics()

    def __init__(self, prepare: Prepare, seed: int = 0) -> None:
        self.prepare, self.seed = prepare, seed

    @property
    def specs(self) -> Mapping[str, tf.TensorSpec]:
        """Shape and type of each column."""
        raise NotImplementedError

    def columns(self, epoch: int = 0, shuffle: bool = True) -> Iterator[Columns]:
        """The batches of one epoch as NumPy arrays.

        Args:
            epoch: Its number; an epoch is the same whether or not earlier ones were read, so that
                training can resume at any of them.
            shuffle: False: in a fixed order.
        """
        raise NotImplementedError

    def left_out(self, shuffle: bool) -> Statistics:
        """What an epoch leaves out beside `statistics`; where that varies, in the first epoch."""
        return Statistics()

    def steps(self, shuffle: bool) -> int:
        """Number of batches in an epoch."""
        return self.steps_per_epoch

    def dataset(
        self, start_epoch: int = 0, shuffle: bool = True, repeat: bool = False
    ) -> tf.data.Dataset:
        """The batches of (inputs, labels) as a prefetching `tf.data.Dataset`.

        Args:
            start_epoch: The first epoch.
            shuffle: False: in a fixed order, the same in every epoch.
            repeat: True: one epoch after the other without end; False: `start_epoch` alone.
        """

        def epochs() -> Iterator[Columns]:
            epoch = start_epoch
            yield from self.columns(epoch, shuffle)
            while repeat:
                epoch += 1
                yield from self.columns(epoch, shuffle)

        data = tf.data.Dataset.from_generator(epochs, output_signature=dict(self.specs))
        if not repeat:
            data = data.apply(tf.data.experimental.assert_cardinality(self.steps(shuffle)))
        return data.map(self.prepare).prefetch(tf.data.AUTOTUNE)
