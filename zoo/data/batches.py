"""Pairs of texts as padded batches of few shapes."""

import dataclasses
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from zoo.data.buckets import MAX_BUCKETS, choose_buckets
from zoo.data.epochs import Batch, Epochs, plan
from zoo.data.tokenized import TokenizedTexts
from zoo.errors import UserError
from zoo.notes import with_lost
from zoo.text.special_tokens import OURS, SpecialTokens
from zoo.text.tokenizer import Tokenizer


@dataclasses.dataclass(frozen=True)
class Bucket:
    """Pairs padded to one shape.

    Args:
        source_ids: (pairs, S), each row ids then [END] then padding; of a vocabulary whose texts
            begin with the start, that first.
        labels: (pairs, T), in the same form.
        batch_size: B of its batches.
        special_tokens: ids of what is read first and of padding.
    """

    source_ids: np.ndarray
    labels: np.ndarray
    batch_size: int
    special_tokens: SpecialTokens = OURS

    @property
    def shape(self) -> tuple[int, int, int]:
        """(B, S, T) of every batch of this bucket."""
        return self.batch_size, self.source_ids.shape[1], self.labels.shape[1]

    @property
    def steps(self) -> int:
        """Batches in an epoch."""
        return -(-len(self.labels) // self.batch_size)

    @property
    def target_tokens(self) -> int:
        """Labels, [END] included."""
        return int((self.labels != self.special_tokens.pad).sum())

    @property
    def tokens(self) -> int:
        """Ids of both sides."""
        return self.target_tokens + int((self.source_ids != self.special_tokens.pad).sum())

    def batch(self, rows: np.ndarray) -> Batch:
        """The batch of these rows, filled up with masked ones to the batch size."""
        missing, pad = ((0, self.batch_size - len(rows)), (0, 0)), self.special_tokens.pad
        source_ids = np.pad(self.source_ids[rows], missing, constant_values=pad)
        labels = np.pad(self.labels[rows], missing, constant_values=pad)
        return teacher_forced(source_ids, labels, self.special_tokens)


def teacher_forced(
    source_ids: np.ndarray, labels: np.ndarray, special_tokens: SpecialTokens = OURS
) -> Batch:
    """What an encoder-decoder learns from: beside the source the target up to each label.

    Source: Williams & Zipser 1989.

    Example:
        >>> x, labels = teacher_forced(np.array([[7, 3]]), np.array([[8, 9, 3, 0]]))
        >>> x["target_ids"].tolist()
        [[2, 8, 9, 0]]
    """
    target_mask, begin = labels != special_tokens.pad, ((0, 0), (1, 0))
    shifted = np.pad(labels[:, :-1], begin, constant_values=special_tokens.first_read)
    x = {
        "source_ids": source_ids,
        "source_mask": source_ids != special_tokens.pad,
        "target_ids": np.where(target_mask, shifted, special_tokens.pad),
        "target_mask": target_mask,
    }
    return x, labels


class BucketedPairs(Epochs):
    """Tokenized pairs in batches whose shapes come from a few length buckets.

    Every batch of a bucket has the same shape: the last one is filled with rows that are masked
    throughout (masks False, labels padding). Epoch k is the same batches in the same order whether
    or not earlier epochs were read, so training can resume at any epoch.

    Args:
        sources: the texts to read.
        targets: the texts to write.
        tokenizer: for both.
        max_source_length: the longest source in ids, [END] included; longer ones are cut.
        max_target_length: the longest target likewise.
        batch_size: rows of each batch; exclusive with `tokens_per_batch`.
        tokens_per_batch: the rows of a bucket's batches are as many as fit into this many
            positions on the longer side, source or target; exclusive with `batch_size`.
        max_buckets: the most shapes; each costs a compilation.
        seed: of the shuffling.

    Outputs: batches (x, labels), int32 ids and bool masks (True = take part):
        source_ids, source_mask (B, S): ids, [END], padding;
        target_ids, target_mask (B, T): [START], ids, padding;
        labels (B, T): ids, [END], padding.

    Raises:
        UserError: if there are no pairs, or not both or neither of the two sizes are given.

    Example:
        >>> from zoo.text import train_tokenizer
        >>> tokenizer = train_tokenizer("characters", ["ab"], 10)
        >>> data = BucketedPairs(["ab", "b"], ["a", "ba"], tokenizer, batch_size=2)
        >>> x, labels = next(iter(data.dataset(shuffle=False)))
        >>> x["target_ids"].numpy().tolist(), labels.numpy().tolist()
        ([[2, 4, 5, 0], [2, 4, 6, 5]], [[4, 5, 3, 0], [4, 6, 5, 3]])
    """

    def __init__(
        self,
        sources: Sequence[str],
        targets: Sequence[str],
        tokenizer: Tokenizer,
        *,
        max_source_length: int = 128,
        max_target_length: int = 128,
        batch_size: int | None = None,
        tokens_per_batch: int | None = None,
        max_buckets: int = MAX_BUCKETS,
        seed: int = 0,
    ):
        if len(sources) != len(targets):
            raise UserError(f"{len(sources)} sources do not pair with {len(targets)} targets")
        if not len(sources):
            raise UserError("there are no pairs to make batches of")
        if (batch_size is None) == (tokens_per_batch is None):
            raise UserError("expected either batch_size or tokens_per_batch")
        limits = {
            "batch_size": batch_size,
            "tokens_per_batch": tokens_per_batch,
            "max_source_length": max_source_length - 1,
            "max_target_length": max_target_length - 1,
        }
        for name, limit in limits.items():
            if limit is not None and limit < 1:
                least = 2 if name.startswith("max") else 1
                raise UserError(f"{name} must be at least {least}")

        def rows(source_length: int, target_length: int) -> int:
            fitting = (tokens_per_batch or 0) // max(source_length, target_length)
            return batch_size or max(1, fitting)

        starts = tokenizer.special_tokens.starts
        source, target = (
            TokenizedTexts(texts, tokenizer, limit, starts=starts, what=what)
            for texts, limit, what in (
                (sources, max_source_length, "sources"),
                (targets, max_target_length, "targets"),
            )
        )
        self.lost, self.seed = source.lost + target.lost, seed
        self.buckets = []
        for group in choose_buckets(source.lengths, target.lengths, rows, max_buckets):
            source_ids, labels = source.padded(group), target.padded(group)
            size = min(rows(source_ids.shape[1], labels.shape[1]), len(group))
            self.buckets.append(Bucket(source_ids, labels, size, tokenizer.special_tokens))
        self.steps_per_epoch = sum(bucket.steps for bucket in self.buckets)

    @property
    def target_tokens(self) -> int:
        """Labels in an epoch, [END] included."""
        return sum(bucket.target_tokens for bucket in self.buckets)

    @property
    def padding(self) -> float:
        """The share of positions, source and target, that hold no token."""
        used = sum(bucket.tokens for bucket in self.buckets)
        held = sum(b.steps * b.batch_size * (b.shape[1] + b.shape[2]) for b in self.buckets)
        return 1 - used / held

    def __str__(self) -> str:
        pairs = sum(len(bucket.labels) for bucket in self.buckets)
        shapes = " ".join("x".join(map(str, bucket.shape)) for bucket in self.buckets)
        facts = (
            f"{pairs} pairs in {self.steps_per_epoch} batches (B x S x T: {shapes}), "
            f"{self.padding:.0%} padding"
        )
        return with_lost(facts, self.lost)

    @property
    def signature(self) -> Any:
        return pair_signature()

    def batches(self, epoch: int = 0, shuffle: bool = True) -> Iterator[Batch]:
        random = np.random.default_rng([self.seed, epoch]) if shuffle else None
        sizes = [(len(bucket.labels), bucket.batch_size) for bucket in self.buckets]
        for number, rows in plan(sizes, random):
            yield self.buckets[number].batch(rows)


def pair_signature() -> Any:
    """The `tf.TensorSpec` of each part of what `teacher_forced` gives."""
    ids, mask = (tf.TensorSpec([None, None], dtype) for dtype in (tf.int32, tf.bool))
    x = {"source_ids": ids, "source_mask": mask, "target_ids": ids, "target_mask": mask}
    return x, ids
