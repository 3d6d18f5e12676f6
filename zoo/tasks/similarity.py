"""The evaluation of vectors of texts by their cosine similarities, and TF-IDF to compare with."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from zoo.data.readers.scored_pairs import ScoredPairs
from zoo.metrics.retrieval import RetrievalRows
from zoo.metrics.values import ValueRows
from zoo.models.pooling import TINY
from zoo.registry.metrics import RETRIEVED, SIMILARITIES
from zoo.tasks.measuring import Judged


def unit(vectors: np.ndarray) -> np.ndarray:
    """Vectors (B, D) scaled to length 1."""
    return vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), TINY)


class Cosines(Protocol):
    """The cosine similarities of N first texts and M second texts."""

    def block(self, firsts: slice) -> np.ndarray:
        """Those of some first texts and all second texts, (rows, M)."""

    def pairs(self, firsts: list[int], seconds: list[int]) -> np.ndarray:
        """Those of pairs of a first and a second text, (B,)."""


@dataclass(frozen=True)
class DenseCosines:
    """Those of vectors of length 1, (N, D) and (M, D)."""

    firsts: np.ndarray
    seconds: np.ndarray

    def block(self, firsts: slice) -> np.ndarray:
        return self.firsts[firsts] @ self.seconds.T

    def pairs(self, firsts: list[int], seconds: list[int]) -> np.ndarray:
        return (self.firsts[firsts] * self.seconds[seconds]).sum(axis=-1)


@dataclass(frozen=True)
class SparseCosines:
    """Those of sparse SciPy matrices of rows of length 1, (N, D) and (M, D)."""

    firsts: Any
    seconds: Any

    def block(self, firsts: slice) -> np.ndarray:
        return (self.firsts[firsts] @ self.seconds.T).toarray()

    def pairs(self, firsts: list[int], seconds: list[int]) -> np.ndarray:
        products = self.firsts[firsts].multiply(self.seconds[seconds])
        return np.asarray(products.sum(axis=1)).ravel()


def judged_pairs(pairs: ScoredPairs, compare: Callable[[list[str], list[str]], Cosines]) -> Judged:
    """The similarities of texts beside what is known of them.

    Args:
        pairs: Pairs of texts. With scores, these are compared with the similarities; without, how
            high each first text ranks its own second texts among all.
        compare: Function from N and M different texts to their similarities.

    Example:
        >>> def letters(*sides):
        ...     counts = ([[text.count(each) for each in "ab"] for text in side] for side in sides)
        ...     return DenseCosines(*(unit(np.array(each)) for each in counts))
        >>> judged = judged_pairs(ScoredPairs("", ["ab", "b"], ["a", "bb"]), letters)
        >>> judged["retrieved texts"]().ranks.tolist()
        [2, 1]
    """
    firsts, seconds = (list(dict.fromkeys(texts)) for texts in (pairs.sources, pairs.targets))
    indices = [{text: i for i, text in enumerate(texts)} for texts in (firsts, seconds)]
    rows = [indices[0][text] for text in pairs.sources]
    columns = [indices[1][text] for text in pairs.targets]
    scores = pairs.scores

    def similarities() -> ValueRows:
        cosines = compare(firsts, seconds).pairs(rows, columns)
        return ValueRows(np.array(scores)[:, None], cosines[:, None], ["similarity"])

    def retrieved() -> RetrievalRows:
        relevant: list[set[int]] = [set() for _ in firsts]
        for row, column in zip(rows, columns, strict=True):
            relevant[row].add(column)
        return RetrievalRows.of(compare(firsts, seconds).block, relevant)

    return {RETRIEVED: retrieved} if scores is None else {SIMILARITIES: similarities}


def judged_by_tfidf(pairs: ScoredPairs) -> Judged:
    """The same of TF-IDF vectors of words; empty without scikit-learn or without words.

    Source: Salton & Buckley 1988.
    """
    try:
        from sklearn.feature_extraction.text import TfidfVectorizer
    except ImportError:
        return {}
    vectorizer = TfidfVectorizer(sublinear_tf=True)
    try:
        vectorizer.fit(pairs.sources + pairs.targets)
    except ValueError:  # no words
        return {}

    def compare(firsts: list[str], seconds: list[str]) -> Cosines:
        return SparseCosines(vectorizer.transform(firsts), vectorizer.transform(seconds))

    return judged_pairs(pairs, compare)
