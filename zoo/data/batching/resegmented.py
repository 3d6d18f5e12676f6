"""Columns of texts that are split into other tokens in every epoch."""

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
import tensorflow as tf

from zoo.data.batching.batches import Prepare
from zoo.data.batching.bucketed import BucketedBatches
from zoo.data.batching.padded_columns import BatchSize, Lengths, Sequences
from zoo.data.batching.tokenized import Tokenized
from zoo.errors import UserError
from zoo.option_names import option_name
from zoo.preprocessing.text import TextPreprocessor
from zoo.text.bpe_dropout import BPEDropout
from zoo.text.byte_bpe import ByteBPETokenizer

_TEXTS = 1 << 14  # number of texts tokenized at a time
RESERVED = 4  # the longest of so many splits of a text is the length that is reserved for it
TRIES = 8  # to split a text into tokens that fit the lengths of its batch


@dataclass(frozen=True)
class Resegmented:
    """The tokens of texts with BPE-dropout: others in every epoch.

    A batch has the length that is reserved for it. A text that is longer is split again, and
    without dropout if it is too long each time.

    Args:
        plain: The tokens without dropout, including special tokens.
        symbols: The ids of the bytes of all texts, concatenated.
        words: The number of the word of each byte, ascending.
        ends: The number of bytes up to the end of each text, (N,).
        dropout: Splits words into tokens.
        reader: What truncates texts and adds special tokens.
        seed: Seed of what is left out.
        epoch: The number of the epoch; None for the tokens without dropout.
    """

    plain: Sequences
    symbols: np.ndarray
    words: np.ndarray
    ends: np.ndarray
    dropout: BPEDropout
    reader: TextPreprocessor
    seed: Sequence[int]
    epoch: int | None = None

    @classmethod
    def of(
        cls,
        texts: Sequence[str],
        plain: Sequences,
        reader: TextPreprocessor,
        rate: float,
        seed: Sequence[int],
    ) -> Self:
        """Creates a column of texts; `plain` has their tokens.

        Raises:
            UserError: If the tokenizer has no merges that could be left out.
        """
        tokenizer = reader.tokenizer
        if not isinstance(tokenizer, ByteBPETokenizer) or tokenizer.special_tokens.mask >= 0:
            raise UserError(
                f"{option_name('bpe_dropout')} needs a byte-bpe tokenizer without a mask token, "
                f"and the task has {tokenizer.kind}"
            )
        symbols, words, counts = [], [], []
        number = 0
        for start in range(0, len(texts), _TEXTS):
            ids = tokenizer.byte_ids(tf.constant(texts[start : start + _TEXTS], tf.string))
            symbols.append(ids.flat_values.numpy())
            words.append(number + ids.values.value_rowids().numpy())
            counts.append(ids.merge_dims(-2, -1).row_lengths().numpy())
            number += int(ids.values.nrows())
        ends = np.concatenate(counts).cumsum()
        dropout = BPEDropout(tokenizer.merges, rate)
        every = np.concatenate(symbols), np.concatenate(words)
        return cls(plain, *every, ends, dropout, reader, seed)

    def in_epoch(self, epoch: int) -> Self:
        """The column of an epoch."""
        return dataclasses.replace(self, epoch=epoch)

    def __len__(self) -> int:
        return len(self.plain)

    @cached_property
    def _reserved(self) -> np.ndarray:
        rows, random = np.arange(len(self)), np.random.default_rng([*self.seed, 0])
        drawn = [self._draw(rows, random).lengths for _ in range(RESERVED)]
        return np.max([self.plain.lengths, *drawn], axis=0)

    @property
    def sizes(self) -> tuple[np.ndarray, ...]:
        """The lengths that are reserved for the texts."""
        return (self._reserved,)

    @property
    def used(self) -> int:
        """Number of positions that are reserved."""
        return int(self._reserved.sum())

    @property
    def spec(self) -> tf.TensorSpec:
        """The spec of a batch."""
        return self.plain.spec

    def batch(self, rows: np.ndarray, size: int, lengths: Lengths) -> np.ndarray:
        """The tokens of some rows, padded to a length and to a batch size."""
        padded = self.plain.batch(rows, size, lengths)
        if self.epoch is None or not len(rows):
            return padded
        random = np.random.default_rng([*self.seed, self.epoch + 1, int(rows[0])])
        waiting = np.arange(len(rows))
        for _ in range(TRIES):
            drawn = self._draw(rows[waiting], random)
            fits = np.flatnonzero(drawn.lengths <= lengths[0])
            padded[waiting[fits]] = drawn.batch(fits, len(fits), lengths)
            waiting = np.delete(waiting, fits)
            if not len(waiting):
                break
        return padded

    def _draw(self, rows: np.ndarray, random: np.random.Generator) -> Sequences:
        """The tokens of some rows, including special tokens."""
        counts = np.diff(self.ends, prepend=0)[rows]
        row = np.repeat(np.arange(len(rows)), counts)
        index = np.arange(len(row)) + np.repeat(self.ends[rows] - counts.cumsum(), counts)
        words = self.words[index]
        # Words of rows in any order, numbered as they come.
        number = np.cumsum((np.diff(words, prepend=-1) != 0) | (np.diff(row, prepend=-1) != 0)) - 1
        pieces, of = self.dropout(self.symbols[index], number, random)
        row_of_word = row[np.flatnonzero(np.diff(number, prepend=-1))]
        return self._with_special(pieces, row_of_word[of], len(rows))

    def _with_special(self, pieces: np.ndarray, row: np.ndarray, rows: int) -> Sequences:
        """Truncates the pieces of rows, and adds special tokens."""
        special, start = self.reader.tokenizer.special_tokens, int(self.reader.start)
        counts = np.bincount(row, minlength=rows)
        place = np.arange(len(row)) - (counts.cumsum() - counts)[row]
        lengths = np.minimum(counts, self.reader.room) + 1 + start
        begins = lengths.cumsum() - lengths
        values = np.empty(lengths.sum(), np.int32)
        inside = place < self.reader.room
        values[(begins[row] + start + place)[inside]] = pieces[inside]
        values[begins + lengths - 1] = special.end
        if start:
            values[begins] = special.start
        return Sequences(values, lengths, special.pad)


@dataclass(frozen=True)
class ResegmentedTokens(Tokenized):
    """Columns that have other tokens in every epoch."""

    columns: Mapping[str, Resegmented]

    def bucketed(
        self,
        prepare: Prepare,
        batch_size: BatchSize,
        max_buckets: int,
        seed: int,
        min_rows: int = 1,
        what: str = "examples",
    ) -> BucketedBatches:
        more = min_rows, what, self.statistics, self._in_epoch
        return BucketedBatches(self.columns, prepare, batch_size, max_buckets, seed, *more)

    def _in_epoch(self, epoch: int) -> Mapping[str, Resegmented]:
        return {name: column.in_epoch(epoch) for name, column in self.columns.items()}
