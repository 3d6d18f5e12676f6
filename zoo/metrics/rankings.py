"""Metrics of rankings: how high the relevant passages of a query are among all of its passages."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from zoo.metrics.measure import Measures, share

TOP = 10  # length of the lists of nDCG and recall


@dataclass(frozen=True)
class RankingRows:
    """Queries, each with the passages that a model ranks.

    A passage is relevant if its gain is nearer to the largest of all gains than to the smallest.
    Queries of which all passages are relevant, or none, do not count. Of passages with equal
    scores, those with smaller gains come first, so that no model profits from ties.

    Args:
        queries: The query of each of N passages.
        gains: How relevant each passage is, higher is better, (N,).
        scores: What a model gives each passage, (N,).

    Example:
        >>> RankingRows(["a"] * 3, [1, 0, 0], [0.3, 0.9, 0.1]).ranks
        [array([2])]
    """

    queries: Sequence[Hashable]
    gains: Sequence[float]
    scores: Sequence[float]

    def __len__(self) -> int:
        return len(self.ranked)

    @property
    def expected(self) -> list[Any]:
        """The queries, and the gain of each passage."""
        return [*zip(self.queries, self.gains, strict=True)]

    @cached_property
    def above(self) -> np.ndarray:
        """The gains above the smallest one, (N,)."""
        gains = np.asarray(self.gains, np.float64)
        return gains - gains.min(initial=np.inf)

    def relevant(self, above: np.ndarray) -> np.ndarray:
        """Which passages are relevant, by their gains above the smallest one."""
        return above > self.above.max(initial=0) / 2

    @cached_property
    def ranked(self) -> list[np.ndarray]:
        """What is `above` of the passages of each query that counts, best score first."""
        scores, lists = np.asarray(self.scores, np.float64), []
        for own in places(self.queries).values():
            above = self.above[own]
            relevant = self.relevant(above)
            if relevant.any() and not relevant.all():
                lists.append(above[np.lexsort((above, -scores[own]))])
        return lists

    @cached_property
    def ranks(self) -> list[np.ndarray]:
        """The ranks of the relevant passages of each query that counts, from 1."""
        return [np.flatnonzero(self.relevant(above)) + 1 for above in self.ranked]


def ndcg_at_10(rows: RankingRows) -> Measures:
    """The normalized discounted cumulative gain of the first 10 passages.

    Source: Järvelin & Kekäläinen 2002; Manning et al. 2008, section 8.4.
    Formula: `DCG@k = sum_{r <= k} g_r / log2(r + 1)` with the gain `g_r` at rank r, above the
        smallest; `nDCG@k = DCG@k / max DCG@k`, the mean over the queries
    """
    return _mean("ndcg_at_10", [_dcg(gains) / _dcg(np.sort(gains)[::-1]) for gains in rows.ranked])


def mrr(rows: RankingRows) -> Measures:
    """The mean reciprocal rank of the first relevant passage.

    Source: Voorhees 1999, "The TREC-8 Question Answering Track Report".
    """
    return _mean("mrr", [1 / ranks[0] for ranks in rows.ranks])


def recall_at_10(rows: RankingRows) -> Measures:
    """The mean share of the relevant passages of a query that are among the first 10."""
    return _recall(rows, TOP)


def recall_at_1(rows: RankingRows) -> Measures:
    """The mean share of the relevant passages of a query that come first."""
    return _recall(rows, 1)


def mean_average_precision(rows: RankingRows) -> Measures:
    """The mean over the queries of the average precision.

    Source: Manning et al. 2008, "Introduction to Information Retrieval", section 8.4.
    Formula: `AP = mean over the relevant at ranks r of (relevant in the first r) / r`
    """
    each = [(np.arange(1, len(ranks) + 1) / ranks).mean() for ranks in rows.ranks]
    return _mean("map", each)


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


def _recall(rows: RankingRows, top: int) -> Measures:
    return _mean(f"recall_at_{top}", [float((ranks <= top).mean()) for ranks in rows.ranks])


def _mean(name: str, values: Sequence[float]) -> Measures:
    """The mean over the queries; nothing if no query counts."""
    return {name: share(np.array(values))} if values else {}


def _dcg(gains: np.ndarray) -> float:
    first = gains[:TOP]
    return float((first / np.log2(np.arange(2, len(first) + 2))).sum())
