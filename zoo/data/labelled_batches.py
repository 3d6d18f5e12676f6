"""Labelled texts as padded batches of few shapes."""

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

NO_LABEL = -1  # of the rows that fill up a batch


class BucketedTexts(Epochs):
    """Tokenized texts with a label each, in batches whose shapes come from a few length buckets.

    Every batch of a bucket has the same shape: the last one is filled with rows that are masked
    throughout and have the label -1. Epoch k is the same whether or not earlier ones were read.

    Args:
        texts: the tokenized texts.
        labels: the number of the label of each.
        tokens_per_batch: the rows of a bucket's batches are as many as fit into this many
            positions.
        max_buckets: the most shapes; each costs a compilation.
        seed: of the shuffling.
        segments: whether batches also have `segment_ids`, which number the texts of a pair.

    Outputs: batches (x, labels): `token_ids` int32 and `padding_mask` bool (B, T), labels (B,).

    Example:
        >>> from zoo.text import train_tokenizer
        >>> texts = TokenizedTexts(["ab", "b"], train_tokenizer("characters", ["ab"], 10), 9)
        >>> batches = BucketedTexts(texts, [1, 0], tokens_per_batch=8, max_buckets=1)
        >>> x, labels = next(batches.batches(shuffle=False))
        >>> x["token_ids"].tolist(), labels.tolist()
        ([[4, 5, 6, 3], [4, 6, 3, 0]], [1, 0])
    """

    def __init__(
        self,
        texts: TokenizedTexts,
        labels: Sequence[int],
        tokens_per_batch: int,
        max_buckets: int = MAX_BUCKETS,
        seed: int = 0,
        segments: bool = False,
    ):
        if tokens_per_batch < 1:
            raise UserError(f"tokens_per_batch must be at least 1, got {tokens_per_batch}")

        def rows(length: int, _: int) -> int:
            return max(1, tokens_per_batch // length)

        self.seed, self.segments = seed, segments
        self.lost, self.special_tokens = texts.lost, texts.special_tokens
        self.buckets = []
        every = np.asarray(labels, np.int32)
        for group in choose_buckets(texts.lengths, texts.lengths, rows, max_buckets):
            ids = texts.padded(group)
            size = min(rows(ids.shape[1], 0), len(group))
            self.buckets.append((ids, every[group], size))
        self.steps_per_epoch = sum(-(-len(ids) // size) for ids, _, size in self.buckets)

    def __str__(self) -> str:
        shapes = " ".join(f"{size}x{ids.shape[1]}" for ids, _, size in self.buckets)
        count = sum(len(ids) for ids, _, _ in self.buckets)
        facts = f"{count} texts in {self.steps_per_epoch} batches (B x T: {shapes})"
        return with_lost(facts, self.lost)

    @property
    def signature(self) -> Any:
        ids, mask = (tf.TensorSpec([None, None], dtype) for dtype in (tf.int32, tf.bool))
        x = {"token_ids": ids, "padding_mask": mask}
        if self.segments:
            x["segment_ids"] = ids
        return x, tf.TensorSpec([None], tf.int32)

    def batches(self, epoch: int = 0, shuffle: bool = True) -> Iterator[Batch]:
        random = np.random.default_rng([self.seed, epoch]) if shuffle else None
        for number, rows in plan([(len(ids), size) for ids, _, size in self.buckets], random):
            ids, labels, size = self.buckets[number]
            missing = size - len(rows)
            pad = self.special_tokens.pad
            token_ids = np.pad(ids[rows], ((0, missing), (0, 0)), constant_values=pad)
            x = {"token_ids": token_ids, "padding_mask": token_ids != pad}
            if self.segments:
                x["segment_ids"] = segment_ids(token_ids, self.special_tokens)
            yield x, np.pad(labels[rows], (0, missing), constant_values=NO_LABEL)


def segment_ids(token_ids: np.ndarray, special_tokens: SpecialTokens = OURS) -> np.ndarray:
    """0 up to the first end token of a row, 1 behind it, and 0 again for padding.

    Source: Devlin et al. 2019, section 3, "Input/Output Representations".

    Example:
        >>> segment_ids(np.array([[2, 7, 3, 8, 9, 3, 0]])).tolist()
        [[0, 0, 0, 1, 1, 1, 0]]
    """
    ends = token_ids == special_tokens.end
    return ((ends.cumsum(axis=1) > ends) & (token_ids != special_tokens.pad)).astype(np.int32)
