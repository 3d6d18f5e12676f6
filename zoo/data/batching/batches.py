"""Reproducible batches: an epoch has the same batches whenever it is read."""

import itertools
import weakref
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np
import tensorflow as tf

from zoo.data_statistics import Statistics

Columns = dict[str, np.ndarray]
# Columns to (inputs of the model, labels), or to these and the weights of rows.
Prepare = Callable[[dict[str, Any]], tuple[Any, ...]]


@contextmanager
def telling_what_failed(*parts: "Batches | None") -> Iterator[None]:
    """Raises what was raised while batches were read, instead of what TensorFlow makes of it.

    Args:
        *parts: The batches that are read in the block.
    """
    try:
        yield
    except Exception as error:
        failed = next((each.failed for each in parts if each and each.failed), None)
        if failed is None:
            raise
        raise failed from error


class Batches:
    """Base class of the batches that `model.fit` reads.

    A subclass yields the columns of each batch as arrays. `prepare` converts them to the inputs of
    the model and the labels, with the TensorFlow operators that exported artifacts also contain.

    Args:
        prepare: Function from columns to (inputs, labels), in TensorFlow operators.
        seed: Seed of shuffling and of other random choices.

    Attributes:
        steps_per_epoch: Number of batches in every shuffled epoch.
        statistics: Counts of skipped, truncated and unknown data.
        parallel: Number of batches that `prepare` works on at the same time; None for one.
        failed: What was raised while a batch was read, of which TensorFlow tells only the text.
        share: Which of how many equal parts of the rows of each batch is read: (0, 1) is all.
    """

    steps_per_epoch: int
    parallel: int | None = None
    failed: Exception | None = None
    share: tuple[int, int] = (0, 1)
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
            epoch: Number of the epoch. Its batches do not depend on whether earlier epochs were
                read, so training can resume at any epoch.
            shuffle: Whether to shuffle; if False, the order is fixed.
        """
        raise NotImplementedError

    def shuffled(self, count: int, random: np.random.Generator) -> Any:
        """A random order of `count` things: an array, or what is indexed like one."""
        return random.permutation(count)

    def part(self, epoch: int, shuffle: bool, steps: slice) -> Iterator[Columns]:
        """Some of the batches of an epoch, which are the same whichever others are read.

        Args:
            epoch: See `columns`, also for `shuffle`.
            shuffle: Whether to shuffle.
            steps: Which batches: those of a resumed epoch are `slice(start, None)`, those of
                process r of n are `slice(r, None, n)`.
        """
        return itertools.islice(self.columns(epoch, shuffle), steps.start, steps.stop, steps.step)

    def divides(self, parts: int) -> bool:
        """Whether `share` may be one of that many parts: of the others, no row is read then."""
        return False

    def left_out(self, shuffle: bool) -> Statistics:
        """Counts of data that an epoch leaves out, besides `statistics`.

        If they vary by epoch, those of the first.
        """
        return Statistics()

    def steps(self, shuffle: bool) -> int:
        """Number of batches in an epoch."""
        return self.steps_per_epoch

    def dataset(
        self, start_epoch: int = 0, shuffle: bool = True, repeat: bool = False, start_step: int = 0
    ) -> tf.data.Dataset:
        """The batches of (inputs, labels) as a prefetching `tf.data.Dataset`.

        Args:
            start_epoch: The first epoch.
            shuffle: Whether to shuffle; if False, the order is the same in every epoch.
            repeat: Whether further epochs follow endlessly; if False, there is only `start_epoch`.
            start_step: The first batch of `start_epoch`.
        """
        # TensorFlow keeps the generator for ever, so that it must not keep these batches, and with
        # them a task and its model. The data set keeps them.
        known = weakref.ref(self)

        def epochs() -> Iterator[Columns]:
            epoch, batches = start_epoch, known()
            assert batches is not None
            try:
                yield from batches.part(epoch, shuffle, slice(start_step, None))
                while repeat:
                    epoch += 1
                    yield from batches.columns(epoch, shuffle)
            except Exception as error:
                batches.failed = error
                raise

        data = tf.data.Dataset.from_generator(epochs, output_signature=dict(self.specs))
        if not repeat:
            data = data.apply(tf.data.experimental.assert_cardinality(self.steps(shuffle)))
        prepare = tf.autograph.experimental.do_not_convert(self.prepare)
        data = data.map(prepare, self.parallel).prefetch(tf.data.AUTOTUNE)
        data.batches = self
        return data
