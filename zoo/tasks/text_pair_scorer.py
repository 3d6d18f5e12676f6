"""Scoring of pairs of texts: how well a passage fits a query, to rank the passages of a query."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from zoo.data.readers.passages import ScoredPassages
from zoo.metrics.rankings import RankingRows
from zoo.registry.metrics import RANKINGS
from zoo.tasks.answers.values import Values
from zoo.tasks.formats.valued_texts import PassageFormat
from zoo.tasks.inputs.labeled_texts import ranked_text_input
from zoo.tasks.measuring import Judged
from zoo.tasks.options import text_pair_scorer as options
from zoo.tasks.parts import Parts
from zoo.tasks.recipes.ranked_texts import RankedTextRecipe
from zoo.tasks.recipes.valued_texts import ValuedTextInput, ValuedTextRecipe
from zoo.tasks.task import Task

NAME = "text-pair-scorer"
INPUT: ValuedTextInput[options.Settings, ScoredPassages] = ranked_text_input(NAME)


@dataclass(frozen=True)
class Ranked:
    """A passage in a ranking.

    Args:
        index: Its place in the given list.
        score: Its score, higher is better.
        text: The passage.
    """

    index: int
    score: float
    text: str


def rankings(examples: ScoredPassages, predicted: Callable[[], np.ndarray]) -> Judged:
    """The rankings of the passages of each query."""
    gains = np.array(examples.values)[:, 0].tolist()
    return {RANKINGS: lambda: RankingRows(examples.queries, gains, predicted()[:, 0].tolist())}


class TextPairScorer(Task):
    """Scores pairs of texts, to rank the passages of a query: a cross-encoder, or reranker.

    The model reads the query and the passage together. `predict` gives a score for each pair, in
    the units of the data; `rank` sorts the passages of one query.

    Source: Nogueira & Cho 2019, "Passage Re-ranking with BERT", section 2.1, with a regression of
        the score.

    Example:
        >>> import zoo
        >>> rows = [("hat", "a red hat", 1), ("hat", "some tea", 0), ("tea", "cold tea", 1)] * 4
        >>> task = zoo.TextPairScorer(hidden_dim=8, intermediate_dim=16, max_length=16)
        >>> history = task.fit(rows, epochs=1, xla=False, verbose=False)
        >>> [*sorted(each.index for each in task.rank("hat", ["cold tea", "a red hat"]))]
        [0, 1]
    """

    name = NAME
    Settings = options.Settings
    Training = options.Training
    parts: ClassVar = Parts(
        format=PassageFormat(),
        input=INPUT,
        answer=Values(rankings),
        recipe=RankedTextRecipe(INPUT, ValuedTextRecipe(INPUT)),
        purpose="Gives each pair of texts a score: how well the second one fits the first.",
    )

    @property
    def value_names(self) -> list[str]:
        """The name of the score, as a list."""
        return list(self.head.names)

    def rank(
        self,
        query: str,
        passages: Sequence[str],
        top_k: int | None = None,
        batch_size: int | None = None,
    ) -> list[Ranked]:
        """The passages of a query, best first; of equal scores, in the order that was given.

        Args:
            query: The query.
            passages: The passages.
            top_k: How many to return; None for all.
            batch_size: Batch size.
        """
        scores = self.predict([(query, passage) for passage in passages], batch_size)
        rows = zip(scores, passages, strict=True)
        ranked = [Ranked(index, *row) for index, row in enumerate(rows)]
        return sorted(ranked, key=lambda each: -each.score)[:top_k]
