"""Columns of recordings, which are read when their batch is made."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import tensorflow as tf

from zoo.data.audio.read import Audio
from zoo.data.batching.padded_columns import Lengths


@dataclass(frozen=True)
class Waveforms:
    """The samples of each recording.

    Args:
        audio: Paths of files, or arrays of samples.
        lengths: Number of samples of each, (N,).
        load: Function from a recording to its samples.

    Example:
        >>> column = Waveforms([np.ones(1), np.ones(2)], np.array([1, 2]), lambda x: x)
        >>> column.batch(np.array([1]), size=2, lengths=(3,)).tolist()
        [[1.0, 1.0, 0.0], [0.0, 0.0, 0.0]]
    """

    audio: Sequence[Audio]
    lengths: np.ndarray
    load: Callable[[Audio], np.ndarray]

    @property
    def sizes(self) -> tuple[np.ndarray, ...]:
        """The lengths of the recordings."""
        return (self.lengths,)

    @property
    def used(self) -> int:
        """Number of samples without padding."""
        return int(self.lengths.sum())

    @property
    def spec(self) -> tf.TensorSpec:
        """The spec of a batch."""
        return tf.TensorSpec([None, None], tf.float32)

    def batch(self, rows: np.ndarray, size: int, lengths: Lengths) -> np.ndarray:
        """The samples of some recordings, padded to a length and to a batch size."""
        samples_of_rows = np.zeros((size, *lengths), np.float32)
        for index, row in enumerate(rows):
            samples = self.load(self.audio[row])
            samples_of_rows[index, : len(samples)] = samples
        return samples_of_rows


def too_short(classes: Sequence[Sequence[int]], steps: np.ndarray) -> int:
    """How many transcripts have no alignment, since they need more steps than there are.

    A character needs a step, and one more for the blank between it and an equal one before it.

    Example:
        >>> too_short([[1, 1], [1, 2]], np.array([2, 2]))
        1
    """

    def needed(row: Any) -> int:
        return len(row) + sum(a == b for a, b in zip(row, row[1:], strict=False))

    return sum(needed(row) > int(count) for row, count in zip(classes, steps, strict=True))
