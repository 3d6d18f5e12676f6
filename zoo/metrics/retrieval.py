"""Scores of retrieval: how high each text ranks its partner among many texts."""

from collections.abc import Callable, Sequence

import numpy as np

ROWS = 1024  # of the similarities that are in memory at a time


def score_retrieval(
    similarities: Callable[[slice], np.ndarray], relevant: Sequence[set[int]]
) -> dict[str, float]:
    """Recall at 1, and the mean reciprocal rank, of the first relevant document of each query.

    Source: Manning et al. 2008, "Introduction to Information Retrieval", chapter 8; Voorhees 1999,
        "The TREC-8 Question Answering Track Report" (reciprocal rank).
    Formula: `mrr = mean_i 1 / rank_i`, `recall_at_1 = mean_i [rank_i = 1]`; `rank_i` is one more
        than the number of irrelevant documents that are at least as similar to query i as its most
        similar relevant document

    Args:
        similarities: Function from a slice of the N queries to their similarities to M documents,
            (rows, M).
        relevant: Of each of the N queries the numbers of its relevant documents, at least one.

    Returns:
        Dictionary of `recall_at_1` and `mrr`, from 0 to 1.

    Example:
        >>> similarities = np.array([[0.9, 0.1, 0.3], [0.7, 0.8, 0.2]])
        >>> score_retrieval(lambda rows: similarities[rows], [{0}, {0}])
        {'recall_at_1': 0.5, 'mrr': 0.75}
    """
    ranks = np.zeros(len(relevant), np.int64)
    for start in range(0, len(relevant), ROWS):
        for query, row in enumerate(similarities(slice(start, start + ROWS)), start):
            own = row[list(relevant[query])]
            ranks[query] = 1 + (row >= own.max()).sum() - (own >= own.max()).sum()
    return {"recall_at_1": float((ranks == 1).mean()), "mrr": float((1 / ranks).mean())}
