"""Scores of rankings: how high the relevant passages of a query are among all of its passages."""

from collections.abc import Hashable, Mapping, Sequence

import numpy as np

TOP = 10  # length of the lists of nDCG and recall


def score_ranking(
    queries: Sequence[Hashable], gains: Sequence[float], scores: Sequence[float]
) -> dict[str, float]:
    """nDCG@10, mean reciprocal rank, recall@10 and mean average precision, from 0 to 1.

    A passage is relevant if its gain is nearer to the largest of all gains than to the smallest.
    Queries of which all passages are relevant, or none, do not count. Of passages with equal
    scores, those with smaller gains come first, so that no model profits from ties.

    Source: Manning et al. 2008, "Introduction to Information Retrieval", section 8.4 (average
        precision, nDCG); Voorhees 1999 (reciprocal rank); Järvelin & Kekäläinen 2002 (nDCG).
    Formula: `DCG@k = sum_{r <= k} g_r / log2(r + 1)` with the gain `g_r` at rank r, above the
        smallest; `nDCG@k = DCG@k / max DCG@k`; `RR = 1 / rank of the first relevant`;
        `recall@k = relevant in the first k / relevant`; `AP = mean over the relevant at ranks r of
        (relevant in the first r) / r`; each is the mean over the queries

    Args:
        queries: The query of each of N passages.
        gains: How relevant each passage is, higher is better, (N,).
        scores: What a model gives each passage, (N,).

    Returns:
        Dictionary of `ndcg_at_10`, `mrr`, `recall_at_10` and `map`; empty if no query counts.

    Example:
        >>> score_ranking(["a"] * 3, [1, 0, 0], [0.3, 0.9, 0.1])["mrr"]
        0.5
    """
    if not len(gains):
        return {}
    predicted, above = np.asarray(scores, np.float64), np.asarray(gains, np.float64)
    above = above - above.min()
    relevant = above > above.max() / 2
    rows = [_scores(above[own], relevant[own], predicted[own]) for own in places(queries).values()]
    rows = [row for row in rows if row]
    return {name: float(np.mean([row[name] for row in rows])) for name in rows[0]} if rows else {}


def places(queries: Sequence[Hashable]) -> Mapping[Hashable, list[int]]:
    """The rows of each query, in order.

    Example:
        >>> places(["a", "b", "a"])
        {'a': [0, 2], 'b': [1]}
    """
    rows: dict[Hashable, list[int]] = {}
    for row, query in enumerate(queries):
        rows.setdefault(query, []).append(row)
    return rows


def _scores(gains: np.ndarray, relevant: np.ndarray, scores: np.ndarray) -> dict[str, float]:
    """The scores of the passages of a query; empty if all of them are relevant, or none."""
    if relevant.all() or not relevant.any():
        return {}
    order = np.lexsort((gains, -scores))
    ranks = np.flatnonzero(relevant[order]) + 1
    return {
        "ndcg_at_10": _dcg(gains[order]) / _dcg(np.sort(gains)[::-1]),
        "mrr": 1 / ranks[0],
        "recall_at_10": float((ranks <= TOP).mean()),
        "map": float((np.arange(1, len(ranks) + 1) / ranks).mean()),
    }


def _dcg(gains: np.ndarray) -> float:
    first = gains[:TOP]
    return float((first / np.log2(np.arange(2, len(first) + 2))).sum())
