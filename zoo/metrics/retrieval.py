"""Metrics of retrieval: how high each text ranks its partner among many texts."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from zoo.metrics.measure import Measures, share

ROWS = 1024  # of the similarities that are in memory at a time


@dataclass(frozen=True)
class RetrievalRows:
    """Queries, each with the rank of its most similar relevant document among all documents.

    Args:
        ranks: The ranks, from 1, (N,).
        relevant: Of each query the numbers of its relevant documents.

    Example:
        >>> similarities = np.array([[0.9, 0.1, 0.3], [0.7, 0.8, 0.2]])
        >>> RetrievalRows.of(lambda rows: similarities[rows], [{0}, {0}]).ranks.tolist()
        [1, 2]
    """

    ranks: np.ndarray
    relevant: Sequence[set[int]]

    @classmethod
    def of(
        cls, similarities: Callable[[slice], np.ndarray], relevant: Sequence[set[int]]
    ) -> "RetrievalRows":
        """The ranks by similarities.

        Formula: `rank_i` is one more than the number of irrelevant documents that are at least as
            similar to query i as its most similar relevant document

        Args:
            similarities: Function from a slice of the N queries to their similarities to M
                documents, (rows, M).
            relevant: Of each of the N queries the numbers of its relevant documents, at least one.
        """
        ranks = np.zeros(len(relevant), np.int64)
        for start in range(0, len(relevant), ROWS):
            for query, row in enumerate(similarities(slice(start, start + ROWS)), start):
                own = row[list(relevant[query])]
                ranks[query] = 1 + (row >= own.max()).sum() - (own >= own.max()).sum()
        return cls(ranks, relevant)

    def __len__(self) -> int:
        return len(self.ranks)

    @property
    def expected(self) -> list[Any]:
        """The numbers of the relevant documents."""
        return [sorted(each) for each in self.relevant]


def recall_at_1(rows: RetrievalRows) -> Measures:
    """The fraction of queries of which a relevant document is the most similar one.

    Source: Manning et al. 2008, "Introduction to Information Retrieval", chapter 8.
    Formula: `mean_i [rank_i <= k]`
    """
    return _recall(rows, 1)


def recall_at_5(rows: RetrievalRows) -> Measures:
    """The fraction of queries with a relevant document among the five most similar ones."""
    return _recall(rows, 5)


def recall_at_10(rows: RetrievalRows) -> Measures:
    """The fraction of queries with a relevant document among the ten most similar ones."""
    return _recall(rows, 10)


def mrr(rows: RetrievalRows) -> Measures:
    """The mean reciprocal rank of the most similar relevant document.

    Source: Voorhees 1999, "The TREC-8 Question Answering Track Report".
    """
    return {"mrr": share(1 / rows.ranks)}


def _recall(rows: RetrievalRows, top: int) -> Measures:
    return {f"recall_at_{top}": share((rows.ranks <= top).astype(np.float64))}
