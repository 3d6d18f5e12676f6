"""Batches of queries, each with a passage that answers it and newly drawn ones that do not."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import tensorflow as tf

from zoo.data.batching.batches import Batches, Columns, Prepare
from zoo.data.batching.padded_columns import Sequences
from zoo.data_statistics import Statistics, counted, with_statistics


@dataclass(frozen=True)
class Contrasts:
    """Answers of queries, and the passages that they are contrasted with.

    Args:
        queries: The tokens of the query of each of A answers.
        passages: The tokens of each of P different passages.
        answers: The passage of each answer, (A,).
        own: All passages that answer the query of each answer.
        count: How many passages to draw for each answer.
        hard: How many of these to draw from its `similar` passages.
        similar: Passages that are easily taken for the answer, of each answer; None if `hard` is 0.
    """

    queries: Sequences
    passages: Sequences
    answers: np.ndarray
    own: list[set[int]]
    count: int
    hard: int = 0
    similar: list[np.ndarray] | None = None

    def draw(self, answer: int, random: np.random.Generator) -> list[int]:
        """Different passages that do not answer the query: fewer than `count` if there are not."""
        taken, drawn = set(self.own[answer]), list[int]()
        if self.similar is not None:
            self._take(random.permutation(self.similar[answer]), self.hard, taken, drawn)
        few = min(len(self.passages), self.count + len(taken))
        every = random.choice(len(self.passages), few, replace=False)
        self._take(every, self.count, taken, drawn)
        return drawn

    @staticmethod
    def _take(passages: np.ndarray, count: int, taken: set[int], drawn: list[int]) -> None:
        """Adds passages that are not taken, until `count` are drawn."""
        for passage in passages.tolist():
            if len(drawn) < count and passage not in taken:
                taken.add(passage)
                drawn.append(passage)


class RankedBatches(Batches):
    """Answers with passages that do not answer the query, other ones in every epoch.

    All batches have the same shape. The rows of an answer follow each other: the answer, and then
    `count` others. The last batch is filled up with rows of padding, and so are answers with fewer
    others. Without shuffling, the passages are those of epoch 0.

    Source: Nogueira & Cho 2019, "Passage Re-ranking with BERT", section 3.1; Gao et al. 2021,
        "Rethink Training of BERT Rerankers in Multi-Stage Retrieval Pipeline", section 3: lists.

    Args:
        contrasts: The answers.
        scores: What is learned of a passage that does not answer its query, and of one that does.
        lists: Number of answers in a batch, Q.
        prepare: Function from columns to (inputs, labels).
        seed: Seed of shuffling and of the passages.
        statistics: Counts of truncated and unknown data.

    Columns, with `B = Q (1 + count)`: `queries` (B, T) and `passages` (B, S), the padded ids of
    texts without special tokens, and `labels` (B, 1), NaN in rows of padding.

    Example:
        >>> texts = [Sequences.of(rows, fill=0) for rows in ([[5], [6]], [[7, 8], [9]])]
        >>> own = [{0}, {1}]
        >>> contrasts = Contrasts(*texts, answers=np.array([0, 1]), own=own, count=1)
        >>> batches = RankedBatches(contrasts, (-1.0, 1.0), lists=2, prepare=lambda x: x)
        >>> batch = next(batches.columns(shuffle=False))
        >>> batch["queries"].tolist(), batch["passages"].tolist(), batch["labels"][:, 0].tolist()
        ([[5], [5], [6], [6]], [[7, 8], [9, 0], [9, 0], [7, 8]], [1.0, -1.0, 1.0, -1.0])
    """

    def __init__(
        self,
        contrasts: Contrasts,
        scores: tuple[float, float],
        lists: int,
        prepare: Prepare,
        seed: int = 0,
        statistics: Statistics | None = None,
    ) -> None:
        super().__init__(prepare, seed)
        self.contrasts, self.scores = contrasts, scores
        self.lists = min(lists, len(contrasts.answers))
        self.statistics = statistics or Statistics()
        self.steps_per_epoch = -(-len(contrasts.answers) // self.lists)

    def __str__(self) -> str:
        contrasts = self.contrasts
        drawn = f"{contrasts.count} others each, drawn in every epoch"
        if contrasts.hard:
            drawn += f", {contrasts.hard} of them among those most similar to the query"
        facts = (
            f"{counted(len(contrasts.answers), 'answers')} with {drawn}, in "
            f"{counted(self.steps_per_epoch, 'batches')} of {counted(self.lists, 'lists')}"
        )
        return with_statistics(facts, self.statistics)

    @property
    def specs(self) -> dict[str, tf.TensorSpec]:
        ids = tf.TensorSpec([None, None], tf.int32)
        return {"queries": ids, "passages": ids, "labels": tf.TensorSpec([None, 1], tf.float32)}

    def columns(self, epoch: int = 0, shuffle: bool = True) -> Iterator[Columns]:
        return self.part(epoch, shuffle, slice(None))

    def part(self, epoch: int, shuffle: bool, steps: slice) -> Iterator[Columns]:
        count = len(self.contrasts.answers)
        random = np.random.default_rng([self.seed, epoch])
        order = self.shuffled(count, random) if shuffle else np.arange(count)
        for step in range(*steps.indices(self.steps_per_epoch)):
            yield self._batch(order[step * self.lists : (step + 1) * self.lists], epoch)

    def _batch(self, answers: np.ndarray, epoch: int) -> Columns:
        contrasts, length = self.contrasts, 1 + self.contrasts.count
        size = self.lists * length
        rows: dict[str, Any] = {"queries": [], "passages": []}
        places, labels = list[int](), np.full((size, 1), np.nan, np.float32)
        for number, answer in enumerate(answers.tolist()):
            random = np.random.default_rng([self.seed, epoch, answer])
            others = contrasts.draw(answer, random)
            places += range(number * length, number * length + 1 + len(others))
            rows["queries"] += [answer] * (1 + len(others))
            rows["passages"] += [contrasts.answers[answer], *others]
            labels[number * length : number * length + 1 + len(others)] = self.scores[0]
            labels[number * length] = self.scores[1]
        columns: Columns = {"labels": labels}
        for name, texts in (("queries", contrasts.queries), ("passages", contrasts.passages)):
            chosen = np.array(rows[name])
            longest = (int(texts.lengths.max()),)
            columns[name] = np.full((size, *longest), texts.fill, np.int32)
            columns[name][places] = texts.batch(chosen, len(chosen), longest)
        return columns
