"""Batches of windows of running text, all of one shape."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from zoo.data.batching.batches import Batches, Columns, Prepare
from zoo.data.shards.permutation import Permuted
from zoo.data_statistics import Statistics, counted, with_statistics
from zoo.errors import UserError
from zoo.text.special_tokens import PAD
from zoo.text.tokenizer import Tokenizer

_CHUNK = 256  # number of texts tokenized at a time


def token_stream(
    texts: Sequence[str],
    tokenizer: Tokenizer,
    begins: bool = True,
    goes_on: bool = False,
    continues: bool = False,
) -> np.ndarray:
    """Concatenates the ids of all documents, with an end token before, between and after them.

    Where the tokenizer puts the start token before texts, each document begins with it, and the
    stream with that of the first document.

    Args:
        texts: The documents.
        tokenizer: The tokenizer.
        begins: Whether this is the beginning of the stream, where the first end token is.
        goes_on: Whether the last text is a part of a document that goes on later.
        continues: Whether the first text continues a document that began before.

    Example:
        >>> from zoo.text import train_tokenizer
        >>> token_stream(["ab", "b"], train_tokenizer("bytes", [], 300)).tolist()
        [3, 101, 102, 3, 102, 3]
    """
    end, start = np.array([tokenizer.special_tokens.end]), np.array(tokenizer.before_document)
    ids: list[np.ndarray] = [end[: begins and not start.size]]
    for i in range(0, len(texts), _CHUNK):
        for row in tokenizer.tokenize(list(texts[i : i + _CHUNK])):
            ids += [start, row.numpy(), end]
    if continues:
        del ids[1]
    if goes_on:
        ids.pop()
    return np.concatenate(ids).astype(np.int32)


class Others:
    """Which tokens of a stream are not among some ids, indexed as the stream is.

    Args:
        stream: The ids.
        without: The ids that are left out.

    Example:
        >>> Others(np.array([5, 6, 5]), [6])[np.array([0, 1])].tolist()
        [True, False]
    """

    def __init__(self, stream: Any, without: Sequence[int]) -> None:
        self._stream, self._without = stream, list(without)

    def __len__(self) -> int:
        return len(self._stream)

    def __getitem__(self, index: Any) -> np.ndarray:
        return ~np.isin(self._stream[index], self._without)


class TokenWindows(Batches):
    """Windows of a stream of tokens, to train a language model on next-token prediction.

    With shuffling, the windows have another offset and another order in every epoch. If `stateful`,
    the stream is split into B parts, one for each row of a batch, and each row continues where it
    ended in the previous batch, so that recurrent states can be kept between batches.

    Args:
        ids: The stream: an array, or what is indexed like one.
        length: Number of tokens T that a window predicts, or fewer if the stream is shorter.
        batch_size: Batch size B.
        prepare: Function from columns to (inputs, labels).
        stateful: Whether rows continue from batch to batch.
        seed: Seed of shuffling.
        pad: Id of padding.
        statistics: Count of unknown tokens.
        answers: Whether each token is an answer to learn, as `ids`; None if all are to be learned.

    Consecutive windows in the column `token_ids` (B, T + 1) overlap by one token, since each token
    predicts the next; so do `answers` in the column `is_answer`. The last batch is filled up with
    rows of padding.

    Raises:
        UserError: If there are too few tokens, or a size is not positive.

    Example:
        >>> windows = TokenWindows(np.arange(4, 12), 3, batch_size=2, prepare=lambda x: x)
        >>> next(windows.columns(shuffle=False))["token_ids"].tolist()
        [[4, 5, 6, 7], [7, 8, 9, 10]]
    """

    def __init__(
        self,
        ids: Any,
        length: int,
        batch_size: int,
        prepare: Prepare,
        stateful: bool = False,
        seed: int = 0,
        pad: int = PAD,
        statistics: Statistics | None = None,
        answers: Any = None,
    ) -> None:
        super().__init__(prepare, seed)
        for name, size in (("length", length), ("batch_size", batch_size)):
            if size < 1:
                raise UserError(f"{name} must be at least 1, got {size}")
        rows = batch_size if stateful else 1
        if len(ids) < 2 * rows:
            raise UserError(
                f"a batch of {counted(rows, 'rows')} needs at least {2 * rows} tokens, "
                f"found {len(ids)}"
            )
        self.ids, self.answers, self.stateful = ids, answers, stateful
        self.batch_size, self.pad = batch_size, pad
        self.statistics = statistics or Statistics()
        self.length = min(length, (len(ids) - 1) // rows)
        # Number of windows of an epoch, whatever the offset of the first.
        self._whole = max(1, (len(ids) - self.length) // self.length)
        self.steps_per_epoch = -(-self._whole // batch_size)
        if stateful:
            self.steps_per_epoch = (len(ids) - 1) // batch_size // self.length

    def __str__(self) -> str:
        steps = counted(self.steps_per_epoch, "batches")
        shape = f"{self.batch_size}x{self.length}"
        facts = f"{len(self.ids)} tokens in {steps} (batch size x length: {shape})"
        return with_statistics(facts, self.statistics)

    def left_out(self, shuffle: bool) -> Statistics:
        if not shuffle:
            return Statistics()
        windows = self.steps_per_epoch * self.batch_size if self.stateful else self._whole
        over = len(self.ids) - 1 - windows * self.length
        which = "at the end" if self.stateful else "different ones in every epoch"
        return Statistics({f"tokens left out ({which})": over})

    def columns(self, epoch: int = 0, shuffle: bool = True) -> Iterator[Columns]:
        return self.part(epoch, shuffle, slice(None))

    def part(self, epoch: int, shuffle: bool, steps: slice) -> Iterator[Columns]:
        every = range(*steps.indices(self.steps(shuffle)))
        if shuffle and self.stateful:
            part = (len(self.ids) - 1) // self.batch_size
            first = part * np.arange(self.batch_size)
            for step in every:
                yield self._batch(first + step * self.length)
            return
        random = np.random.default_rng([self.seed, epoch])
        if shuffle:
            begin = int(random.integers(0, max(1, len(self.ids) - self._whole * self.length)))
            order = self.shuffled(self._whole, random)
        else:
            begin, order = 0, range(-(-(len(self.ids) - 1) // self.length))
        for step in every:
            index = step * self.batch_size + self.share[0] * self._rows
            windows = order[index : index + self._rows]
            yield self._batch(begin + self.length * np.asarray(windows, np.int64))

    def _batch(self, starts: np.ndarray) -> Columns:
        missing = self._rows - len(starts)
        indices = starts[:, None] + np.arange(self.length + 1)
        tokens = np.where(indices < len(self.ids), self.ids[indices % len(self.ids)], self.pad)
        tokens = np.pad(tokens, ((0, missing), (0, 0)), constant_values=self.pad)
        columns = {"token_ids": tokens.astype(np.int32)}
        if self.answers is None:
            return columns
        answers = (indices < len(self.ids)) & self.answers[indices % len(self.ids)]
        return {**columns, "is_answer": np.pad(answers, ((0, missing), (0, 0)))}

    def steps(self, shuffle: bool) -> int:
        if shuffle:
            return self.steps_per_epoch
        windows = -(-(len(self.ids) - 1) // self.length)
        return -(-windows // self.batch_size)

    @property
    def specs(self) -> dict[str, tf.TensorSpec]:
        shape = [self._rows, self.length + 1]
        columns = {"token_ids": tf.TensorSpec(shape, tf.int32)}
        if self.answers is None:
            return columns
        return {**columns, "is_answer": tf.TensorSpec(shape, tf.bool)}

    @property
    def _rows(self) -> int:
        """Number of rows of a batch, or of the part of it that is read."""
        return self.batch_size // self.share[1]


class ShardWindows(Permuted, TokenWindows):
    """`TokenWindows` of a stream on the disk, whose order takes no memory."""

    def divides(self, parts: int) -> bool:
        return not self.stateful and self.batch_size % parts == 0
