"""The baseline of rankings: BM25, which counts the words that a query and a passage share."""

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from zoo.data.readers.passages import ScoredPassages
from zoo.metrics.rankings import RankingRows
from zoo.registry.metrics import RANKINGS
from zoo.tasks.measuring import Judged
from zoo.tasks.parts.baselines import Baselines

WORD = re.compile(r"\w+")
K1, B = 1.2, 0.75


@dataclass(frozen=True)
class Bm25:
    """Okapi BM25 over the lower-case words of passages.

    Source: Robertson & Zaragoza 2009, section 3.4; the weight of a word is that of Lucene, which is
        never negative.
    Formula: `score = sum_w idf_w f_w (k1 + 1) / (f_w + k1 (1 - b + b L / mean L))` over the words w
        of the query, with `idf_w = log(1 + (N - n_w + 1/2) / (n_w + 1/2))`, the frequency `f_w` in
        the passage, its length L in words, and the number `n_w` of the N passages with the word

    Args:
        counts: In how many of the passages each word is.
        passages: The number of passages.
        mean_length: The mean length of a passage in words.

    Example:
        >>> bm25 = Bm25.of(["a red hat", "a blue hat", "tea"])
        >>> bm25.score("red hat", "a red hat") > bm25.score("red hat", "a blue hat") > 0
        True
    """

    counts: Counter[str]
    passages: int
    mean_length: float

    @classmethod
    def of(cls, passages: Sequence[str]) -> Self:
        """Counts the words of different passages."""
        words = [words_of(passage) for passage in dict.fromkeys(passages)]
        counts = Counter(word for each in words for word in set(each))
        return cls(counts, len(words), sum(map(len, words)) / max(len(words), 1))

    def score(self, query: str, passage: str) -> float:
        """How well a passage fits a query."""
        words = words_of(passage)
        counts = Counter(words)
        return sum(self.term(word, counts[word], len(words)) for word in words_of(query))

    def term(self, word: str, frequency: int, length: int) -> float:
        """What a word of the query adds to the score of a passage."""
        norm = K1 * (1 - B + B * length / max(self.mean_length, 1))
        return self.idf(word) * frequency * (K1 + 1) / (frequency + norm)

    def idf(self, word: str) -> float:
        """The inverse document frequency of a word."""
        count = self.counts[word]
        return math.log(1 + (self.passages - count + 0.5) / (count + 0.5))


class Bm25Index:
    """The scores of all passages for a query, from the passages of each word.

    Args:
        passages: The passages.

    Example:
        >>> Bm25Index(["a red hat", "a blue hat", "tea"]).best("blue hat", 2).tolist()
        [1, 0]
    """

    def __init__(self, passages: Sequence[str]) -> None:
        self.bm25, self._size = Bm25.of(passages), len(passages)
        terms: dict[str, list[tuple[int, float]]] = {}
        for row, passage in enumerate(passages):
            words = words_of(passage)
            for word, count in Counter(words).items():
                terms.setdefault(word, []).append((row, self.bm25.term(word, count, len(words))))
        self._rows = {word: np.array([row for row, _ in each]) for word, each in terms.items()}
        self._terms = {word: np.array([term for _, term in each]) for word, each in terms.items()}

    def scores(self, query: str) -> np.ndarray:
        """How well each passage fits a query, (N,); see `Bm25.score`."""
        scores = np.zeros(self._size)
        for word in words_of(query):
            if word in self._rows:
                scores[self._rows[word]] += self._terms[word]
        return scores

    def best(self, query: str, count: int) -> np.ndarray:
        """The passages with the highest scores that share a word with a query, best first."""
        scores = self.scores(query)
        order = np.argsort(-scores, kind="stable")[:count]
        return order[scores[order] > 0]


def words_of(text: str) -> list[str]:
    """The words of a text in lower case.

    Example:
        >>> words_of("A hat, a hut")
        ['a', 'hat', 'a', 'hut']
    """
    return WORD.findall(text.lower())


class Bm25Baseline(Baselines[Any, ScoredPassages, Any]):
    """BM25, with the frequencies of words in the very passages to evaluate."""

    def judged_without_training(self, examples: ScoredPassages) -> Mapping[str, Judged]:
        seconds = examples.seconds or []
        bm25 = Bm25.of(seconds)
        scores = [bm25.score(*row) for row in zip(examples.texts, seconds, strict=True)]
        gains = np.array(examples.values)[:, 0].tolist()
        return {"bm25": {RANKINGS: lambda: RankingRows(examples.queries, gains, scores)}}
