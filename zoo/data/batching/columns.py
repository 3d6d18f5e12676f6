"""Columns of examples in memory: concatenated sequences, or one number per example."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import tensorflow as tf

from zoo.data_statistics import Statistics
from zoo.preprocessing.text import TokenPreprocessor

NO_LABEL = -1  # label of padding rows and of tokens without a label
_CHUNK = 1 << 16  # number of texts tokenized at a time


@dataclass(frozen=True)
class Scalars:
    """One number for each example.

    Args:
        values: Array (N,).
        fill: Value in padding rows.
    """

    values: np.ndarray
    fill: int = NO_LABEL

    @property
    def spec(self) -> tf.TensorSpec:
        """The spec of a batch."""
        return tf.TensorSpec([None], self.values.dtype)

    def batch(self, rows: np.ndarray, size: int, length: int) -> np.ndarray:
        """The values of some rows, padded to a batch size."""
        return np.pad(self.values[rows], (0, size - len(rows)), constant_values=self.fill)


@dataclass(frozen=True)
class Sequences:
    """A sequence of integers for each example.

    Args:
        values: All sequences, concatenated.
        lengths: Length of each sequence, (N,).
        fill: Value that pads shorter sequences.

    Example:
        >>> column = Sequences(np.array([7, 8, 9]), np.array([1, 2]), fill=0)
        >>> column.batch(np.array([1, 0]), size=3, length=2).tolist()
        [[8, 9], [7, 0], [0, 0]]
    """

    values: np.ndarray
    lengths: np.ndarray
    fill: int

    @classmethod
    def of(cls, rows: Sequence[Any], fill: int) -> "Sequences":
        """Creates a column from sequences."""
        values = np.concatenate([np.asarray(row, np.int32) for row in rows])
        return cls(values, np.array([len(row) for row in rows]), fill)

    @cached_property
    def _begins(self) -> np.ndarray:
        return self.lengths.cumsum() - self.lengths

    @property
    def spec(self) -> tf.TensorSpec:
        """The spec of a batch."""
        return tf.TensorSpec([None, None], tf.int32)

    def batch(self, rows: np.ndarray, size: int, length: int) -> np.ndarray:
        """The sequences of some rows, padded to a length and to a batch size."""
        found = np.full((size, length), self.fill, np.int32)
        inside = np.arange(length) < self.lengths[rows, None]
        places = (self._begins[rows, None] + np.arange(length))[inside]
        found[: len(rows)][inside] = self.values[places]
        return found


def token_column(
    preprocessor: TokenPreprocessor, inputs: Mapping[str, Sequence[str]]
) -> tuple[Sequences, Statistics]:
    """The token ids of texts as a column, and counts of truncated, empty and unknown data.

    Args:
        preprocessor: Converts texts to padded ids.
        inputs: The texts, by name of the input.
    """
    pad = preprocessor.tokenizer.special_tokens.pad
    statistics, values, lengths = Statistics(), [], []
    for start in range(0, len(next(iter(inputs.values()))), _CHUNK):
        chunk = {name: texts[start : start + _CHUNK] for name, texts in inputs.items()}
        features, counts = preprocessor.measure(chunk)
        ids = features["token_ids"]
        values.append(ids[ids != pad])
        lengths.append((ids != pad).sum(axis=1))
        statistics.update(counts)
    return Sequences(np.concatenate(values), np.concatenate(lengths), pad), statistics


Column = Scalars | Sequences
BatchSize = Callable[[int, int], int]
