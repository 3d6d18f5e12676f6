"""The baseline of rankings: BM25, which counts the words that a query and a passage share."""

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from zoo.data.readers.passages import ScoredPassages
from zoo.heads.ranking import score_ranking
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
        counts, norm = Counter(words), K1 * (1 - B + B * len(words) / max(self.mean_length, 1))
        return sum(
            self.idf(word) * counts[word] * (K1 + 1) / (counts[word] + norm)
            for word in words_of(query)
        )

    def idf(self, word: str) -> float:
        """The inverse document frequency of a word."""
        count = self.counts[word]
        return math.log(1 + (self.passages - count + 0.5) / (count + 0.5))


def words_of(text: str) -> list[str]:
    """The words of a text in lower case.

    Example:
        >>> words_of("A hat, a hut")
        ['a', 'hat', 'a', 'hut']
    """
    return WORD.findall(text.lower())


class Bm25Baseline(Baselines[Any, ScoredPassages, Any]):
    """BM25, with the frequencies of words in the very passages to evaluate."""

    def scores_without_training(self, examples: ScoredPassages) -> dict[str, float]:
        seconds = examples.seconds or []
        bm25 = Bm25.of(seconds)
        scores = [bm25.score(*row) for row in zip(examples.texts, seconds, strict=True)]
        gains = np.array(examples.values)[:, 0].tolist()
        ranked = score_ranking(examples.queries, gains, scores)
        return {f"bm25_{name}": value for name, value in ranked.items()}
