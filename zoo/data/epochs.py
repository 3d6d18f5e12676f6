"""Batches that come epoch after epoch, the same whenever they are read."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from zoo.notes import Lost

Batch = tuple[dict[str, np.ndarray], Any]  # inputs and labels


class Epochs:
    """What `model.fit` reads: a subclass gives the batches of an epoch, and what is in them.

    `steps_per_epoch` is the number of batches in every shuffled epoch; `lost` counts what of the
    data is in none, as `str` says too.
    """

    steps_per_epoch: int
    lost: Lost = Lost()

    def left_out(self, shuffle: bool) -> Lost:
        """What of the rest an epoch is without; of what varies, that of the first one.

        Args:
            shuffle: as for `batches`.
        """
        return Lost()

    def steps(self, shuffle: bool) -> int:
        """Batches in an epoch."""
        return self.steps_per_epoch

    @property
    def signature(self) -> Any:
        """The `tf.TensorSpec` of each part of a batch."""
        raise NotImplementedError

    def batches(self, epoch: int = 0, shuffle: bool = True) -> Iterator[Batch]:
        """The batches of one epoch as NumPy arrays.

        Args:
            epoch: its number; epoch k is the same whether or not earlier ones were read.
            shuffle: False: in a fixed order.
        """
        raise NotImplementedError

    def dataset(
        self, start_epoch: int = 0, shuffle: bool = True, repeat: bool = False
    ) -> tf.data.Dataset:
        """Batches as a prefetching tf.data.Dataset.

        Args:
            start_epoch: the epoch to begin with.
            shuffle: False: in a fixed order, the same in every epoch.
            repeat: True: one epoch after the other without end; False: `start_epoch` alone.
        """

        def epochs() -> Iterator[Batch]:
            epoch = start_epoch
            yield from self.batches(epoch, shuffle)
            while repeat:
                epoch += 1
                yield from self.batches(epoch, shuffle)

        data = tf.data.Dataset.from_generator(epochs, output_signature=self.signature)
        if not repeat:
            data = data.apply(tf.data.experimental.assert_cardinality(self.steps(shuffle)))
        return data.prefetch(tf.data.AUTOTUNE)


def plan(
    sizes: Sequence[tuple[int, int]], random: np.random.Generator | None
) -> list[tuple[int, np.ndarray]]:
    """The batches of an epoch, over buckets of one shape each.

    Args:
        sizes: of each bucket its rows, and the rows of a batch.
        random: shuffles the rows of each bucket and the batches; None leaves them in order.

    Returns:
        Of each batch the number of its bucket, and the rows in it.

    Example:
        >>> [(bucket, rows.tolist()) for bucket, rows in plan([(3, 2), (1, 4)], None)]
        [(0, [0, 1]), (0, [2]), (1, [0])]
    """
    found = []
    for bucket, (count, batch_size) in enumerate(sizes):
        rows = np.arange(count)
        if random is not None:
            random.shuffle(rows)
        found += [(bucket, rows[i : i + batch_size]) for i in range(0, count, batch_size)]
    return found if random is None else [found[i] for i in random.permutation(len(found))]
