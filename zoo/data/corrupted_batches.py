"""Corrupted passages and what they were, batch after batch."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from zoo.data.batches import pair_signature, teacher_forced
from zoo.data.corruption import Corruption
from zoo.data.epochs import Batch, Epochs
from zoo.errors import UserError
from zoo.notes import Lost, with_lost
from zoo.text.tokenizer import Tokenizer

HIDDEN = -1  # the place of what stands where a mask was put
SENTENCE_ENDS = (".", "!", "?")


class CorruptedPassages(Epochs):
    """Passages that are corrupted anew in every epoch, all batches of one shape.

    In order they have the corruptions of epoch 0, and the last batch has fewer rows; shuffled, the
    rows that are over are left out, other ones in every epoch.

    Source: Lewis et al. 2020, section 2.2.

    Args:
        passages: the ids of each, without marks.
        tokenizer: what they are of; it has a mask.
        corrupt: what corrupts them.
        length: the most ids T of a source or target, [END] included; what is longer is cut.
        batch_size: rows B of a batch.
        seed: of order and corruptions.
        lost: what of the documents is in no passage, or unknown.

    Outputs: batches (x, labels) as of `BucketedPairs`: the corrupted passages as sources, what they
        were as targets.

    Example:
        >>> from zoo.text.wordpiece import WordPieceTokenizer
        >>> tokenizer = WordPieceTokenizer.train(["abcdefgh"], 30, always=["[MASK]"])
        >>> rows, infill = [np.arange(5, 15)], Corruption(("text_infilling",))
        >>> x, labels = next(CorruptedPassages(rows, tokenizer, infill, 11, 1, seed=2).batches())
        >>> x["source_ids"].tolist()
        [[5, 6, 4, 10, 11, 12, 13, 14, 3, 0, 0]]
        >>> labels.tolist()
        [[5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 3]]
    """

    def __init__(
        self,
        passages: Sequence[np.ndarray],
        tokenizer: Tokenizer,
        corrupt: Corruption,
        length: int,
        batch_size: int,
        seed: int = 0,
        lost: Lost | None = None,
    ):
        if batch_size < 1:
            raise UserError(f"batch_size must be at least 1, got {batch_size}")
        self.passages, self.corrupt, self.length, self.seed = passages, corrupt, length, seed
        self.lost, self.special_tokens = lost or Lost(), tokenizer.special_tokens
        self._ends = np.array([piece.endswith(SENTENCE_ENDS) for piece in tokenizer.vocabulary])
        self.batch_size = min(batch_size, len(passages))
        self.steps_per_epoch = len(passages) // self.batch_size

    def __str__(self) -> str:
        share = 1 - sum(len(ids) + 1 for ids in self.passages) / len(self.passages) / self.length
        facts = (
            f"{len(self.passages)} passages of up to {self.length} tokens, {share:.0%} padding, in "
            f"{self.steps_per_epoch} batches (B x T: {self.batch_size}x{self.length})"
        )
        return with_lost(facts, self.lost)

    def left_out(self, shuffle: bool) -> Lost:
        over = len(self.passages) % self.batch_size if shuffle else 0
        room = self.length - 1
        grown = sum(len(places) > room for rows in self._rows(0, shuffle) for _, places in rows)
        return Lost(
            {
                "passages left out, others each time": over,
                f"corrupted passages cut to {self.length} tokens": grown,
            }
        )

    def steps(self, shuffle: bool) -> int:
        return self.steps_per_epoch if shuffle else -(-len(self.passages) // self.batch_size)

    @property
    def signature(self) -> Any:
        return pair_signature()

    def batches(self, epoch: int = 0, shuffle: bool = True) -> Iterator[Batch]:
        for batch, _ in self.with_hidden(epoch, shuffle):
            yield batch

    def with_hidden(
        self, epoch: int = 0, shuffle: bool = True
    ) -> Iterator[tuple[Batch, np.ndarray]]:
        """The batches, and which of their labels stand nowhere in the source, bool (B, T)."""
        for rows in self._rows(epoch, shuffle):
            shape = len(rows), self.length
            source_ids, labels = (
                np.full(shape, self.special_tokens.pad, np.int32) for _ in range(2)
            )
            hidden = np.zeros(shape, bool)
            for row, (ids, places) in enumerate(rows):
                places = places[: self.length - 1]
                shown = np.where(places == HIDDEN, self.special_tokens.mask, ids[places])
                hidden[row, : len(ids)] = np.isin(np.arange(len(ids)), places, invert=True)
                for line, tokens in ((source_ids[row], shown), (labels[row], ids)):
                    line[: len(tokens) + 1] = [*tokens, self.special_tokens.end]
            yield teacher_forced(source_ids, labels, self.special_tokens), hidden

    def _rows(self, epoch: int, shuffle: bool) -> Iterator[list[tuple[np.ndarray, np.ndarray]]]:
        """Of each batch the passages, each with the places of its tokens as they are shown."""
        random = np.random.default_rng([self.seed, epoch])
        count = len(self.passages)
        order = random.permutation(count) if shuffle else np.arange(count)
        for step in range(self.steps(shuffle)):
            rows = order[step * self.batch_size : (step + 1) * self.batch_size]
            passages = [self.passages[number][: self.length - 1] for number in rows]
            # Places are corrupted in the stead of ids, and so tell what becomes of each token;
            # the last of `ends` is that of HIDDEN: a mask ends no sentence.
            yield [
                (
                    ids,
                    self.corrupt(
                        np.arange(len(ids)), random, HIDDEN, np.append(self._ends[ids], False)
                    ),
                )
                for ids in passages
            ]
