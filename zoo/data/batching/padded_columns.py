"""Columns of examples in memory: numbers, sequences, and documents of sentences."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
import tensorflow as tf

NO_LABEL = -1  # label of padding rows and of tokens without a label
Lengths = tuple[int, ...]  # of the axes of a batch that are padded


@dataclass(frozen=True)
class Numbers:
    """One number, or a vector of fixed length, for each example.

    Args:
        values: Array (N,) or (N, C).
        fill: Value in padding rows.

    Example:
        >>> column = Numbers(np.array([[1.5, 2.5]], np.float32))
        >>> column.batch(np.array([0]), size=2).tolist()
        [[1.5, 2.5], [-1.0, -1.0]]
    """

    values: np.ndarray
    fill: float = NO_LABEL

    def __len__(self) -> int:
        return len(self.values)

    @property
    def sizes(self) -> tuple[np.ndarray, ...]:
        """The lengths of the examples along each axis that is padded: none."""
        return ()

    @property
    def used(self) -> int:
        """Number of positions without padding, along axes that are padded."""
        return 0

    @property
    def spec(self) -> tf.TensorSpec:
        """The spec of a batch."""
        return tf.TensorSpec([None, *self.values.shape[1:]], self.values.dtype)

    def batch(self, rows: np.ndarray, size: int, lengths: Lengths = ()) -> np.ndarray:
        """The values of some rows, padded to a batch size."""
        padding = [(0, size - len(rows)), *[(0, 0)] * (self.values.ndim - 1)]
        return np.pad(self.values[rows], padding, constant_values=self.fill)


@dataclass(frozen=True)
class Sequences:
    """A sequence of integers for each example.

    Args:
        values: All sequences, concatenated.
        lengths: Length of each sequence, (N,).
        fill: Value that pads shorter sequences.

    Example:
        >>> column = Sequences(np.array([7, 8, 9]), np.array([1, 2]), fill=0)
        >>> column.batch(np.array([1, 0]), size=3, lengths=(2,)).tolist()
        [[8, 9], [7, 0], [0, 0]]
    """

    values: np.ndarray
    lengths: np.ndarray
    fill: int

    @classmethod
    def of(cls, rows: Sequence[Any], fill: int) -> "Sequences":
        """Creates a column from sequences."""
        values = np.concatenate(
            [np.zeros(0, np.int32), *(np.asarray(row, np.int32) for row in rows)]
        )
        return cls(values, np.array([len(row) for row in rows], np.int64), fill)

    @classmethod
    def unpadded(cls, ids: np.ndarray, fill: int) -> "Sequences":
        """Creates a column from padded sequences (N, T)."""
        return cls(ids[ids != fill], (ids != fill).sum(axis=1), fill)

    @classmethod
    def joined(cls, columns: Sequence["Sequences"]) -> "Sequences":
        """Creates a column of the examples of several."""
        values, lengths = (
            np.concatenate([getattr(each, name) for each in columns])
            for name in ("values", "lengths")
        )
        return cls(values, lengths, columns[0].fill)

    @cached_property
    def _begins(self) -> np.ndarray:
        return self.lengths.cumsum() - self.lengths

    def __len__(self) -> int:
        return len(self.lengths)

    def __getitem__(self, row: int) -> np.ndarray:
        """The values of one row."""
        begin = self._begins[row]
        return self.values[begin : begin + self.lengths[row]]

    @property
    def sizes(self) -> tuple[np.ndarray, ...]:
        """The lengths of the examples along each axis that is padded."""
        return (self.lengths,)

    @property
    def used(self) -> int:
        """Number of positions without padding."""
        return len(self.values)

    @property
    def spec(self) -> tf.TensorSpec:
        """The spec of a batch."""
        return tf.TensorSpec([None, None], tf.int32)

    def batch(self, rows: np.ndarray, size: int, lengths: Lengths) -> np.ndarray:
        """The sequences of some rows, padded to a length and to a batch size."""
        (length,) = lengths
        padded = np.full((size, length), self.fill, np.int32)
        inside = np.arange(length) < self.lengths[rows, None]
        indices = (self._begins[rows, None] + np.arange(length))[inside]
        padded[: len(rows)][inside] = self.values[indices]
        return padded


@dataclass(frozen=True)
class NestedSequences:
    """A list of sentences, which are sequences of integers, for each example.

    Args:
        sentences: The sentences of all documents, one after another.
        counts: Number of sentences of each document, (N,).

    Example:
        >>> sentences = Sequences(np.array([7, 8, 9]), np.array([1, 2]), fill=0)
        >>> column = NestedSequences(sentences, np.array([2, 0]))
        >>> column.batch(np.array([1, 0]), size=2, lengths=(2, 2)).tolist()
        [[[0, 0], [0, 0]], [[7, 0], [8, 9]]]
    """

    sentences: Sequences
    counts: np.ndarray

    @classmethod
    def unpadded(cls, ids: np.ndarray, fill: int) -> "NestedSequences":
        """Creates a column from padded documents (N, sentences, words)."""
        lengths = (ids != fill).sum(axis=2)
        sentences = Sequences(ids[ids != fill], lengths[lengths > 0], fill)
        return cls(sentences, (lengths > 0).sum(axis=1))

    @classmethod
    def joined(cls, columns: Sequence["NestedSequences"]) -> "NestedSequences":
        """Creates a column of the examples of several."""
        sentences = Sequences.joined([each.sentences for each in columns])
        return cls(sentences, np.concatenate([each.counts for each in columns]))

    @cached_property
    def _begins(self) -> np.ndarray:
        return self.counts.cumsum() - self.counts

    @cached_property
    def sizes(self) -> tuple[np.ndarray, ...]:
        """The number of sentences of each example, and the length of its longest; at least 1."""
        longest = np.ones(len(self.counts), int)
        np.maximum.at(
            longest, np.repeat(np.arange(len(self.counts)), self.counts), self.sentences.lengths
        )
        return np.maximum(self.counts, 1), longest

    @property
    def used(self) -> int:
        """Number of positions without padding."""
        return self.sentences.used

    @property
    def spec(self) -> tf.TensorSpec:
        """The spec of a batch."""
        return tf.TensorSpec([None, None, None], tf.int32)

    def batch(self, rows: np.ndarray, size: int, lengths: Lengths) -> np.ndarray:
        """The documents of some rows, padded to both lengths and to a batch size."""
        count, length = lengths
        inside = np.arange(count) < self.counts[rows, None]
        padded = np.full((size, count, length), self.sentences.fill, np.int32)
        indices = (self._begins[rows, None] + np.arange(count))[inside]
        padded[: len(rows)][inside] = self.sentences.batch(indices, len(indices), (length,))
        return padded


class Column(Protocol):
    """A column of examples."""

    @property
    def sizes(self) -> tuple[np.ndarray, ...]:
        """The lengths of the examples along each axis that is padded."""

    @property
    def used(self) -> int:
        """Number of positions without padding, along axes that are padded."""

    @property
    def spec(self) -> tf.TensorSpec:
        """The spec of a batch."""

    def batch(self, rows: np.ndarray, size: int, lengths: Lengths) -> np.ndarray:
        """The values of some rows, padded to lengths and to a batch size."""


BatchSize = Callable[[int, int], int]
