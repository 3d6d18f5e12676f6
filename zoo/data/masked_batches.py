"""Pairs of texts with masks, batch after batch."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import tensorflow as tf

from zoo.data.epochs import Batch, Epochs
from zoo.data.labelled_batches import segment_ids
from zoo.data.masking import Masking
from zoo.data.sentence_pairs import SentencePairs
from zoo.errors import UserError
from zoo.notes import Lost, with_lost


class MaskedPairs(Epochs):
    """Pairs of texts whose masks are drawn anew in every epoch, all batches of one shape.

    In order they have the masks of epoch 0, and the last batch has fewer rows; shuffled, the rows
    that are over are left out, other ones in every epoch.

    Source: Devlin et al. 2019, section 3.1; masks drawn anew: Liu et al. 2019, section 4.1.

    Args:
        pairs: the pairs.
        masking: what chooses tokens.
        batch_size: rows B of a batch.
        seed: of order and masks.

    Outputs: batches (x, labels): `token_ids`, `padding_mask` and `segment_ids` (B, T), labels
        `mlm_logits` (B, T), -100 where there is nothing to guess, and `nsp_logits` (B,).

    Example:
        >>> from zoo.text.special_tokens import SpecialTokens
        >>> pairs = SentencePairs(np.array([[2, 7, 3, 8, 3, 0]]), np.array([1]))
        >>> batches = MaskedPairs(pairs, Masking(SpecialTokens(mask=4), 9), batch_size=2)
        >>> x, labels = next(batches.batches())
        >>> x["segment_ids"].tolist(), labels["nsp_logits"].tolist()
        ([[0, 0, 0, 1, 1, 0]], [1])
    """

    def __init__(self, pairs: SentencePairs, masking: Masking, batch_size: int, seed: int = 0):
        if batch_size < 1:
            raise UserError(f"batch_size must be at least 1, got {batch_size}")
        self.pairs, self.masking, self.seed = pairs, masking, seed
        self._count, self.lost = len(pairs.token_ids), pairs.lost
        self.batch_size = min(batch_size, self._count)
        self.steps_per_epoch = self._count // self.batch_size

    def __str__(self) -> str:
        shape = f"{self.batch_size}x{self.pairs.token_ids.shape[1]}"
        facts = f"{self.pairs} in {self.steps_per_epoch} batches (B x T: {shape})"
        return with_lost(facts, self.lost)

    def left_out(self, shuffle: bool) -> Lost:
        over = self._count % self.batch_size if shuffle else 0
        return Lost({"pairs left out, others each time": over})

    def steps(self, shuffle: bool) -> int:
        return self.steps_per_epoch if shuffle else -(-self._count // self.batch_size)

    @property
    def signature(self) -> Any:
        shape = [None, self.pairs.token_ids.shape[1]]
        ids, mask = (tf.TensorSpec(shape, dtype) for dtype in (tf.int32, tf.bool))
        x = {"token_ids": ids, "padding_mask": mask, "segment_ids": ids}
        return x, {"mlm_logits": ids, "nsp_logits": tf.TensorSpec([None], tf.int32)}

    def batches(self, epoch: int = 0, shuffle: bool = True) -> Iterator[Batch]:
        random = np.random.default_rng([self.seed, epoch])
        order = random.permutation(self._count) if shuffle else np.arange(self._count)
        for step in range(self.steps(shuffle)):
            rows = order[step * self.batch_size : (step + 1) * self.batch_size]
            whole = self.pairs.token_ids[rows]
            shown, labels = self.masking(whole, random)
            special_tokens = self.masking.special_tokens
            # Segments of the whole text: chance may have put anything in it, but no end token.
            x = {
                "token_ids": shown,
                "padding_mask": whole != special_tokens.pad,
                "segment_ids": segment_ids(whole, special_tokens),
            }
            yield x, {"mlm_logits": labels, "nsp_logits": self.pairs.is_random[rows]}
