"""Batches of masked pairs of texts."""

from collections.abc import Iterator
from typing import Any, cast

import numpy as np
import tensorflow as tf

from zoo.data.batching.batch_size import batch_size_of_tokens
from zoo.data.batching.batches import Batches, Columns, Prepare
from zoo.data.batching.tokenized import Tokenized
from zoo.data.pretraining.masking import Masking
from zoo.data_statistics import Statistics, counted, with_statistics
from zoo.errors import UserError
from zoo.option_names import option_name


class MaskedPairs(Batches):
    """Pairs of texts with different random masks in every epoch, in batches of the same shape.

    Without shuffling, the masks are those of epoch 0, and the last batch may have fewer rows. With
    shuffling, the rows that do not fill a batch are left out, different ones in every epoch.

    Source: Devlin et al. 2019, section 3.1; dynamic masking: Liu et al. 2019, section 4.1.

    Args:
        pairs: The columns `token_ids` and `is_random` of pairs, as of `make_pairs`.
        length: Number of tokens T of a batch; shorter pairs are padded.
        masking: Chooses and masks tokens.
        batch_size: Batch size B; None decides by the number of pairs.
        prepare: Function from columns to (inputs, labels).
        seed: Seed of shuffling and masks.

    Columns: `token_ids` and `labels` (B, T), which are -100 where nothing is predicted, and
    `is_random` (B,): 0 if the second text follows the first, otherwise 1.

    Example:
        >>> from zoo.data.batching.padded_columns import Numbers, Sequences
        >>> from zoo.text.special_tokens import SpecialTokens
        >>> ids = Sequences.of([[2, 7, 3, 8, 3]], fill=0)
        >>> pairs = Tokenized({"token_ids": ids, "is_random": Numbers(np.array([1]))})
        >>> masking = Masking(SpecialTokens(mask=4), vocabulary_size=9)
        >>> batches = MaskedPairs(pairs, 6, masking, batch_size=2, prepare=lambda x: x)
        >>> next(batches.columns())["is_random"].tolist()
        [1]
    """

    def __init__(
        self,
        pairs: Tokenized,
        length: int,
        masking: Masking,
        batch_size: int | None,
        prepare: Prepare,
        seed: int = 0,
    ) -> None:
        super().__init__(prepare, seed)
        if batch_size is not None and batch_size < 1:
            raise UserError(f"{option_name('batch_size')} must be at least 1, got {batch_size}")
        self.length, self.masking, self.statistics = length, masking, pairs.statistics
        self._pairs, columns = pairs, cast(Any, pairs.columns)
        self._ids, self._is_random = columns["token_ids"], columns["is_random"]
        self._count = len(self._is_random)
        if not self._count:
            raise UserError("the documents must have at least two sentences")
        size = batch_size or batch_size_of_tokens(self._count, length, masking.vocabulary_size)
        self.batch_size = min(size, self._count)
        self.steps_per_epoch = self._count // self.batch_size

    def __str__(self) -> str:
        share = 1 - self._ids.used / self._count / self.length
        facts = (
            f"{counted(self._count, 'pairs')} of up to {self.length} tokens, {share:.0%} padding "
            f"in {counted(self.steps_per_epoch, 'batches')} "
            f"(batch size x length: {self.batch_size}x{self.length})"
        )
        return with_statistics(facts, self.statistics)

    def left_out(self, shuffle: bool) -> Statistics:
        over = self._count % self.batch_size if shuffle else 0
        return Statistics({"pairs left out (different ones in every epoch)": over})

    def steps(self, shuffle: bool) -> int:
        return self.steps_per_epoch if shuffle else -(-self._count // self.batch_size)

    @property
    def specs(self) -> dict[str, tf.TensorSpec]:
        ids = tf.TensorSpec([None, self.length], tf.int32)
        return {"token_ids": ids, "labels": ids, "is_random": tf.TensorSpec([None], tf.int32)}

    def shuffled(self, count: int, random: np.random.Generator) -> Any:
        return self._pairs.shuffled(count, random)

    def columns(self, epoch: int = 0, shuffle: bool = True) -> Iterator[Columns]:
        random = np.random.default_rng([self.seed, epoch])
        order = self.shuffled(self._count, random) if shuffle else np.arange(self._count)
        for step in range(self.steps(shuffle)):
            rows = order[step * self.batch_size : (step + 1) * self.batch_size]
            ids = self._ids.batch(rows, len(rows), (self.length,))
            token_ids, labels = self.masking(ids, random)
            is_random = self._is_random.batch(rows, len(rows), ())
            yield {"token_ids": token_ids, "labels": labels, "is_random": is_random}
