"""Running text as batches of windows of one shape."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from zoo.data.epochs import Batch, Epochs
from zoo.errors import UserError
from zoo.notes import Lost, with_lost
from zoo.text.special_tokens import PAD
from zoo.text.tokenizer import Tokenizer

_CHUNK = 256  # texts tokenized at a time


def token_stream(texts: Sequence[str], tokenizer: Tokenizer) -> np.ndarray:
    """The ids of all documents in a row, the end token before, between and behind them.

    Example:
        >>> from zoo.text import train_tokenizer
        >>> token_stream(["ab", "b"], train_tokenizer("bytes", [], 300)).tolist()
        [3, 101, 102, 3, 102, 3]
    """
    end = np.array([tokenizer.special_tokens.end])
    ids: list[np.ndarray] = [end]
    for i in range(0, len(texts), _CHUNK):
        for row in tokenizer.tokenize(list(texts[i : i + _CHUNK])):
            ids += [row.numpy(), end]
    return np.concatenate(ids).astype(np.int32)


class TokenWindows(Epochs):
    """Windows of a stream of tokens, each label being the token after.

    In training the windows begin at another place in every epoch, and come in another order.
    With `stateful` the stream is cut into as many stateful as a batch has rows, and each row goes
    on where it ended in the batch before: so a recurrent state can be carried. Epoch k is the same
    whether or not earlier epochs were read, so training can resume at any epoch.

    Args:
        ids: the stream.
        length: tokens T of a window; a shorter stream makes it shorter.
        batch_size: rows B of every batch.
        stateful: whether rows go on from batch to batch.
        seed: of the shuffling.
        pad: id where there is no token.
        lost: what of the texts is not in the stream.

    Outputs: batches (x, labels): `token_ids` and `padding_mask` (B, T), and labels (B, T); the last
        batch is filled up with rows that are masked throughout.

    Raises:
        UserError: if there are too few tokens, or a size is not positive.

    Example:
        >>> windows = TokenWindows(np.arange(4, 12), length=3, batch_size=2)
        >>> x, labels = next(windows.batches(shuffle=False))
        >>> x["token_ids"].tolist(), labels.tolist()
        ([[4, 5, 6], [7, 8, 9]], [[5, 6, 7], [8, 9, 10]])
    """

    def __init__(
        self,
        ids: np.ndarray,
        length: int,
        batch_size: int,
        stateful: bool = False,
        seed: int = 0,
        pad: int = PAD,
        lost: Lost | None = None,
    ):
        for name, size in (("length", length), ("batch_size", batch_size)):
            if size < 1:
                raise UserError(f"{name} must be at least 1, got {size}")
        rows = batch_size if stateful else 1
        if len(ids) < 2 * rows:
            raise UserError(f"{len(ids)} tokens are too few for {rows} rows of windows")
        self.ids, self.stateful, self.seed = ids, stateful, seed
        self.batch_size, self.pad = batch_size, pad
        self.lost = lost or Lost()
        self.length = min(length, (len(ids) - 1) // rows)
        # Windows of an epoch, wherever the first begins.
        self._whole = max(1, (len(ids) - self.length) // self.length)
        self.steps_per_epoch = -(-self._whole // batch_size)
        if stateful:
            self.steps_per_epoch = (len(ids) - 1) // batch_size // self.length

    def __str__(self) -> str:
        steps, shape = self.steps_per_epoch, f"{self.batch_size}x{self.length}"
        facts = f"{len(self.ids)} tokens in {steps} batches (B x T: {shape})"
        return with_lost(facts, self.lost)

    def left_out(self, shuffle: bool) -> Lost:
        if not shuffle:
            return Lost()
        windows = self.steps_per_epoch * self.batch_size if self.stateful else self._whole
        where = (
            "at the end left out, the same each time"
            if self.stateful
            else "left out, others each time"
        )
        over = len(self.ids) - 1 - windows * self.length
        return Lost({f"tokens {where}": over})

    def batches(self, epoch: int = 0, shuffle: bool = True) -> Iterator[Batch]:
        if shuffle and self.stateful:
            lane = (len(self.ids) - 1) // self.batch_size
            first = lane * np.arange(self.batch_size)
            for step in range(self.steps_per_epoch):
                yield self._batch(first + step * self.length)
            return
        random = np.random.default_rng([self.seed, epoch])
        if shuffle:
            begin = random.integers(0, max(1, len(self.ids) - self._whole * self.length))
            starts = begin + self.length * random.permutation(self._whole)
        else:
            starts = np.arange(0, len(self.ids) - 1, self.length)
        for i in range(0, len(starts), self.batch_size):
            yield self._batch(starts[i : i + self.batch_size])

    def _batch(self, starts: np.ndarray) -> Batch:
        missing = self.batch_size - len(starts)
        places = starts[:, None] + np.arange(self.length + 1)
        tokens = np.where(places < len(self.ids), self.ids[places % len(self.ids)], self.pad)
        tokens = np.pad(tokens, ((0, missing), (0, 0)), constant_values=self.pad)
        tokens = tokens.astype(np.int32)
        labels = tokens[:, 1:]
        mask = labels != self.pad
        x = {"token_ids": np.where(mask, tokens[:, :-1], self.pad), "padding_mask": mask}
        return x, labels

    def steps(self, shuffle: bool) -> int:
        if shuffle:
            return self.steps_per_epoch
        windows = -(-(len(self.ids) - 1) // self.length)
        return -(-windows // self.batch_size)

    @property
    def signature(self) -> Any:
        shape = [self.batch_size, self.length]
        ids, mask = (tf.TensorSpec(shape, dtype) for dtype in (tf.int32, tf.bool))
        return {"token_ids": ids, "padding_mask": mask}, ids
