"""Metrics of answers in passages: exact match and F1 of words, as SQuAD's."""

import re
import string
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from zoo.metrics.measure import Measures, share

_ARTICLES = re.compile(r"\b(a|an|the)\b")
_PUNCTUATION = str.maketrans("", "", string.punctuation)


@dataclass(frozen=True)
class AnswerRows:
    """Questions with right answers and a predicted one.

    Args:
        references: The right answers to each question; none if there is no answer.
        predictions: The predicted answers; "" for none.
    """

    references: Sequence[Sequence[str]]
    predictions: Sequence[str]

    def __len__(self) -> int:
        return len(self.references)

    @property
    def expected(self) -> list[Any]:
        """The right answers."""
        return [[*texts] for texts in self.references]

    @property
    def answered(self) -> np.ndarray:
        """Which questions have an answer, bool (N,)."""
        return np.array([given_of(texts) != [""] for texts in self.references])

    def best(self, score: Callable[[str, str], float]) -> np.ndarray:
        """The score of each prediction against the right answer that gives the best one, (N,)."""
        rows = zip(self.references, self.predictions, strict=True)
        return np.array(
            [max(score(text, predicted) for text in given_of(texts)) for texts, predicted in rows]
        )


def exact_match(rows: AnswerRows) -> Measures:
    """The fraction of answers that equal a right one, without case, punctuation and articles.

    Source: Rajpurkar et al. 2016, section 6.1; Rajpurkar et al. 2018; `evaluate-v2.0.py`.
    """
    return {"exact_match": share(rows.best(_equal))}


def f1(rows: AnswerRows) -> Measures:
    """The mean F1 of words; if only some questions have answers, also that of these alone.

    `unanswered_accuracy` is the fraction of the other questions that get no answer.

    Source: As of `exact_match`.
    Formula: `F1 = 2 n / (p + r)` of `n` words in common, `p` of the prediction and `r` of the
        reference, without case, punctuation and articles; of a question without an answer 1 if the
        prediction is none, otherwise 0
    """
    scores, answered = rows.best(_overlap), rows.answered
    if answered.all() or not answered.any():
        return {"f1": share(scores)}
    return {
        "f1": share(scores),
        "answered_f1": share(scores * answered, answered.astype(float)),
        "unanswered_accuracy": share(scores * ~answered, (~answered).astype(float)),
    }


def given_of(texts: Sequence[str]) -> list[str]:
    """The right answers that have words, or else one without any."""
    return [text for text in texts if normalized(text)] or [""]


def normalized(text: str) -> str:
    """An answer without case, punctuation, articles and further spaces.

    Example:
        >>> normalized("The  U.S. (a  state)")
        'us state'
    """
    return " ".join(_ARTICLES.sub(" ", text.lower().translate(_PUNCTUATION)).split())


def _equal(reference: str, prediction: str) -> float:
    return float(normalized(reference) == normalized(prediction))


def _overlap(reference: str, prediction: str) -> float:
    right, predicted = (normalized(text).split() for text in (reference, prediction))
    if not right or not predicted:
        return float(right == predicted)
    same = (Counter(right) & Counter(predicted)).total()
    return 2 * same / (len(right) + len(predicted))
