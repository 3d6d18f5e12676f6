"""Batches of corrupted passages and their originals."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import tensorflow as tf

from zoo.data.batching.batch_size import batch_size_of_tokens
from zoo.data.batching.batches import Batches, Columns, Prepare
from zoo.data.batching.tokenized import Tokenized
from zoo.data.pretraining.corruption import Corruption
from zoo.data_statistics import Statistics, counted, with_statistics
from zoo.errors import UserError
from zoo.option_names import option_name
from zoo.text.tokenizer import Tokenizer

MASKED = -1  # represents a mask among positions
SENTENCE_ENDS = (".", "!", "?")


class CorruptedPassages(Batches):
    """Passages with different random corruptions in every epoch, in batches of the same shape.

    Without shuffling, the corruptions are those of epoch 0, and the last batch may have fewer rows.
    With shuffling, the rows that do not fill a batch are left out, different ones in every epoch.

    Source: Lewis et al. 2020, section 2.2.

    Args:
        passages: The column `token_ids`, the ids of each passage without special tokens, as of
            `make_passages`.
        tokenizer: The tokenizer, whose vocabulary must have a mask token.
        corrupt: Corrupts a passage.
        length: Maximum number of ids T of a source or target, including the end token.
        batch_size: Batch size B; None decides by the number of passages.
        prepare: Function from columns to (inputs, labels).
        seed: Seed of shuffling and corruptions.

    Columns, all (B, T): `source_ids`, the corrupted passage; `target_ids`, the original; and
    `restored`, 1 where a target token was removed from the source.

    Example:
        >>> from zoo.data.batching.padded_columns import Sequences
        >>> from zoo.text.wordpiece import WordPieceTokenizer
        >>> tokenizer = WordPieceTokenizer.train(["abcdefgh"], 30, always=["[MASK]"])
        >>> rows = Tokenized({"token_ids": Sequences.of([range(5, 15)], fill=0)})
        >>> infill = Corruption(("text_infilling",))
        >>> batches = CorruptedPassages(rows, tokenizer, infill, 11, 1, lambda x: x, seed=2)
        >>> x = next(batches.columns())
        >>> x["source_ids"].tolist()
        [[5, 6, 4, 10, 11, 12, 13, 14, 3, 0, 0]]
        >>> x["target_ids"].tolist()
        [[5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 3]]
    """

    def __init__(
        self,
        passages: Tokenized,
        tokenizer: Tokenizer,
        corrupt: Corruption,
        length: int,
        batch_size: int | None,
        prepare: Prepare,
        seed: int = 0,
    ) -> None:
        super().__init__(prepare, seed)
        if batch_size is not None and batch_size < 1:
            raise UserError(f"{option_name('batch_size')} must be at least 1, got {batch_size}")
        self.corrupt, self.length, self.statistics = corrupt, length, passages.statistics
        self._tokens = passages
        columns: Any = passages.columns
        self.passages = columns["token_ids"]
        self._count = len(self.passages)
        if not self._count:
            raise UserError("the texts contain no tokens")
        self.special_tokens = tokenizer.special_tokens
        self._ends = np.array([piece.endswith(SENTENCE_ENDS) for piece in tokenizer.vocabulary])
        size = batch_size or batch_size_of_tokens(self._count, length, len(tokenizer.vocabulary))
        self.batch_size = min(size, self._count)
        self.steps_per_epoch = self._count // self.batch_size

    def __str__(self) -> str:
        share = 1 - (self.passages.used / self._count + 1) / self.length
        facts = (
            f"{counted(self._count, 'passages')} of up to {self.length} tokens, {share:.0%} "
            f"padding, in {counted(self.steps_per_epoch, 'batches')} "
            f"(batch size x length: {self.batch_size}x{self.length})"
        )
        return with_statistics(facts, self.statistics)

    def left_out(self, shuffle: bool) -> Statistics:
        over = self._count % self.batch_size if shuffle else 0
        left_out = Statistics({"passages left out (different ones in every epoch)": over})
        if not self._tokens.in_memory:
            return left_out  # how many are truncated, only reading all of them would show
        room = self.length - 1
        longer = sum(len(indices) > room for rows in self._rows(0, shuffle) for _, indices in rows)
        truncated = {f"corrupted passages truncated to {self.length} tokens": longer}
        return left_out + Statistics(truncated)

    def shuffled(self, count: int, random: np.random.Generator) -> Any:
        return self._tokens.shuffled(count, random)

    def steps(self, shuffle: bool) -> int:
        return self.steps_per_epoch if shuffle else -(-self._count // self.batch_size)

    @property
    def specs(self) -> dict[str, tf.TensorSpec]:
        ids = tf.TensorSpec([None, self.length], tf.int32)
        return {"source_ids": ids, "target_ids": ids, "restored": ids}

    def columns(self, epoch: int = 0, shuffle: bool = True) -> Iterator[Columns]:
        for rows in self._rows(epoch, shuffle):
            shape, pad = (len(rows), self.length), self.special_tokens.pad
            source_ids, target_ids = np.full(shape, pad, np.int32), np.full(shape, pad, np.int32)
            restored = np.zeros(shape, np.int32)
            for row, (ids, indices) in enumerate(rows):
                indices = indices[: self.length - 1]
                shown = np.where(indices == MASKED, self.special_tokens.mask, ids[indices])
                restored[row, : len(ids)] = np.isin(np.arange(len(ids)), indices, invert=True)
                for line, tokens in ((source_ids[row], shown), (target_ids[row], ids)):
                    line[: len(tokens) + 1] = [*tokens, self.special_tokens.end]
            yield {"source_ids": source_ids, "target_ids": target_ids, "restored": restored}

    def _rows(self, epoch: int, shuffle: bool) -> Iterator[list[tuple[np.ndarray, np.ndarray]]]:
        """Yields for each batch pairs of a passage and the original positions after corruption."""
        random = np.random.default_rng([self.seed, epoch])
        order = self.shuffled(self._count, random) if shuffle else np.arange(self._count)
        for step in range(self.steps(shuffle)):
            rows = order[step * self.batch_size : (step + 1) * self.batch_size]
            passages = [self.passages[number][: self.length - 1] for number in rows]
            # Corrupts positions instead of ids, to know which tokens were removed. The last entry
            # of `ends` is that of MASKED, since a mask does not end a sentence.
            yield [
                (
                    ids,
                    self.corrupt(
                        np.arange(len(ids)), random, MASKED, np.append(self._ends[ids], False)
                    ),
                )
                for ids in passages
            ]
