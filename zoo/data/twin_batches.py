"""Pairs of texts that mean the like, in batches of the first ones and then the second."""

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from zoo.data.buckets import MAX_BUCKETS, choose_buckets
from zoo.data.epochs import Batch, Epochs, plan
from zoo.data.tokenized import TokenizedTexts
from zoo.errors import UserError
from zoo.notes import with_lost
from zoo.text.tokenizer import Tokenizer


class BucketedTwins(Epochs):
    """Tokenized pairs, each text a row of its own, in batches of few shapes.

    Row b and row B + b of a batch are a pair. The last batch of a bucket is filled with rows that
    are masked throughout. No pair is alone in a batch: there it would be told from nothing, and
    teach nothing. Epoch k is the same whether or not earlier ones were read.

    Args:
        firsts: one text of each pair.
        seconds: the other.
        tokenizer: for both.
        max_length: the most ids of a text, [START] and [END] included; longer ones are cut.
        tokens_per_batch: the rows of a bucket's batches are as many as fit into this many
            positions, four at least.
        max_buckets: the most shapes; each costs a compilation.
        seed: of the shuffling.

    Outputs: batches (x, labels): `token_ids`, `segment_ids` int32 and `padding_mask` bool
        (2 B, T); the labels are the mask, under "embeddings", the output that they are for.

    Raises:
        UserError: if there are fewer than two pairs.

    Example:
        >>> from zoo.text import train_tokenizer
        >>> tokenizer = train_tokenizer("characters", ["ab"], 10)
        >>> batches = BucketedTwins(["a", "b"], ["b", "a"], tokenizer, 9, 16, max_buckets=1)
        >>> x, _ = next(batches.batches(shuffle=False))
        >>> x["token_ids"].tolist()
        [[2, 4, 5, 3], [2, 4, 6, 3], [2, 4, 6, 3], [2, 4, 5, 3]]
    """

    def __init__(
        self,
        firsts: Sequence[str],
        seconds: Sequence[str],
        tokenizer: Tokenizer,
        max_length: int,
        tokens_per_batch: int,
        max_buckets: int = MAX_BUCKETS,
        seed: int = 0,
    ):
        if len(firsts) < 2:
            raise UserError("at least two pairs are needed: each is told from the others")

        def rows(first: int, second: int) -> int:
            return max(2, tokens_per_batch // (2 * max(first, second)))

        sides = [
            TokenizedTexts(texts, tokenizer, max_length, starts=True) for texts in (firsts, seconds)
        ]
        self.seed, self.pad = seed, tokenizer.special_tokens.pad
        self.lost = sides[0].lost + sides[1].lost
        self.buckets = []
        groups = choose_buckets(sides[0].lengths, sides[1].lengths, rows, max_buckets)
        for group in _without_lone_pairs(groups):
            ids = [side.padded(group) for side in sides]
            width = max(each.shape[1] for each in ids)
            both = np.stack([self._wide(each, width) for each in ids], axis=1)
            self.buckets.append((both, _batch_size(len(group), rows(width, width))))
        self.steps_per_epoch = sum(-(-len(both) // size) for both, size in self.buckets)

    def _wide(self, ids: np.ndarray, width: int) -> np.ndarray:
        return np.pad(ids, ((0, 0), (0, width - ids.shape[1])), constant_values=self.pad)

    def __str__(self) -> str:
        shapes = " ".join(f"{2 * size}x{both.shape[2]}" for both, size in self.buckets)
        count = sum(len(both) for both, _ in self.buckets)
        facts = f"{count} pairs in {self.steps_per_epoch} batches (2 B x T: {shapes})"
        return with_lost(facts, self.lost)

    @property
    def signature(self) -> Any:
        ids, mask = (tf.TensorSpec([None, None], dtype) for dtype in (tf.int32, tf.bool))
        return {"token_ids": ids, "padding_mask": mask, "segment_ids": ids}, {"embeddings": mask}

    def batches(self, epoch: int = 0, shuffle: bool = True) -> Iterator[Batch]:
        random = np.random.default_rng([self.seed, epoch]) if shuffle else None
        for number, rows in plan([(len(both), size) for both, size in self.buckets], random):
            both, size = self.buckets[number]
            missing = ((0, size - len(rows)), (0, 0), (0, 0))
            chosen = np.pad(both[rows], missing, constant_values=self.pad)
            ids = np.concatenate([chosen[:, 0], chosen[:, 1]])
            mask = ids != self.pad
            x = {"token_ids": ids, "padding_mask": mask, "segment_ids": np.zeros_like(ids)}
            yield x, {"embeddings": mask}


def _without_lone_pairs(groups: list[np.ndarray]) -> list[np.ndarray]:
    """Groups of two pairs at least, short ones first: a pair alone goes to those beside it."""
    found = [groups[0]]
    for group in groups[1:]:
        if min(len(found[-1]), len(group)) < 2:
            found[-1] = np.sort(np.concatenate([found[-1], group]))
        else:
            found.append(group)
    return found


def _batch_size(pairs: int, most: int) -> int:
    """The most pairs of a batch for which none is left alone in the last; more, if need be."""
    sizes = itertools.chain(range(min(most, pairs), 1, -1), range(most + 1, pairs + 1))
    return next(size for size in sizes if pairs % size != 1)
