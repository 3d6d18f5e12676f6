"""Chunks of words with their tags as padded batches of few shapes."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from zoo.data.buckets import MAX_BUCKETS, choose_buckets
from zoo.data.chunks import Chunk, lost_in
from zoo.data.epochs import Batch, Epochs, plan
from zoo.data.labelled_batches import NO_LABEL
from zoo.notes import with_lost
from zoo.text.special_tokens import OURS, SpecialTokens


class BucketedChunks(Epochs):
    """Chunks in batches whose shapes come from a few length buckets.

    The first piece of each word has the word's label, everything else -1. The last batch of a
    bucket is filled with rows that are masked throughout. Epoch k is the same whether or not
    earlier ones were read.

    Source: Devlin et al. 2019, section 5.3 (the first piece stands for the word).

    Args:
        chunks: the chunks.
        labels: of each chunk the number of the tag of each of its words.
        tokens_per_batch: the rows of a bucket's batches are as many as fit into this many
            positions.
        max_buckets: the most shapes; each costs a compilation.
        seed: of the shuffling.
        special_tokens: of the tokenizer.

    Outputs: batches (x, labels): `token_ids`, `segment_ids` int32, `padding_mask` bool, and labels,
        all (B, T).

    Example:
        >>> from zoo.data.chunks import chunks_of
        >>> from zoo.text import train_tokenizer
        >>> tokenizer = train_tokenizer("characters", ["ab"], 10)
        >>> chunks = chunks_of([["ab", "b"]], tokenizer, limit=9)
        >>> x, labels = next(BucketedChunks(chunks, [[1, 0]], 9).batches(shuffle=False))
        >>> x["token_ids"].tolist(), labels.tolist()
        ([[2, 4, 5, 6, 4, 6, 3]], [[-1, 1, -1, -1, 0, -1, -1]])
    """

    def __init__(
        self,
        chunks: Sequence[Chunk],
        labels: Sequence[Sequence[int]],
        tokens_per_batch: int,
        max_buckets: int = MAX_BUCKETS,
        seed: int = 0,
        special_tokens: SpecialTokens = OURS,
    ):
        def rows(length: int, _: int) -> int:
            return max(1, tokens_per_batch // length)

        self.seed, self.pad = seed, special_tokens.pad
        self.lost = lost_in(chunks, special_tokens)
        self.buckets = []
        lengths = np.array([len(chunk.ids) for chunk in chunks])
        for group in choose_buckets(lengths, lengths, rows, max_buckets):
            shape = len(group), lengths[group].max()
            ids = np.full(shape, self.pad, np.int32)
            told = np.full(shape, NO_LABEL, np.int32)
            for row, number in enumerate(group):
                chunk = chunks[number]
                ids[row, : len(chunk.ids)] = chunk.ids
                told[row, chunk.firsts] = labels[number]
            self.buckets.append((ids, told, min(rows(shape[1], 0), len(group))))
        self.steps_per_epoch = sum(-(-len(ids) // size) for ids, _, size in self.buckets)

    def __str__(self) -> str:
        shapes = " ".join(f"{size}x{ids.shape[1]}" for ids, _, size in self.buckets)
        count = sum(len(ids) for ids, _, _ in self.buckets)
        facts = f"{count} chunks in {self.steps_per_epoch} batches (B x T: {shapes})"
        return with_lost(facts, self.lost)

    @property
    def signature(self) -> Any:
        ids, mask = (tf.TensorSpec([None, None], dtype) for dtype in (tf.int32, tf.bool))
        return {"token_ids": ids, "padding_mask": mask, "segment_ids": ids}, ids

    def batches(self, epoch: int = 0, shuffle: bool = True) -> Iterator[Batch]:
        random = np.random.default_rng([self.seed, epoch]) if shuffle else None
        for number, rows in plan([(len(ids), size) for ids, _, size in self.buckets], random):
            ids, labels, size = self.buckets[number]
            missing = ((0, size - len(rows)), (0, 0))
            token_ids = np.pad(ids[rows], missing, constant_values=self.pad)
            x = {
                "token_ids": token_ids,
                "padding_mask": token_ids != self.pad,
                "segment_ids": np.zeros_like(token_ids),
            }
            yield x, np.pad(labels[rows], missing, constant_values=NO_LABEL)
