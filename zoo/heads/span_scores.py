"""Evaluation metrics for answers in passages: exact match and F1 of words, as SQuAD's."""

import re
import string
from collections import Counter
from collections.abc import Sequence

_ARTICLES = re.compile(r"\b(a|an|the)\b")
_PUNCTUATION = str.maketrans("", "", string.punctuation)


def score_answers(
    references: Sequence[Sequence[str]], predictions: Sequence[str]
) -> dict[str, float]:
    """Exact match and F1, of each answer the best over all that are right, averaged.

    Source: Rajpurkar et al. 2016, section 6.1; Rajpurkar et al. 2018; the official script
        `evaluate-v2.0.py`, whose numbers are 100 times these.
    Formula: `F1 = 2 n / (p + r)` of `n` words in common, `p` of the prediction and `r` of the
        reference, without case, punctuation and articles; of a question without an answer 1 if the
        prediction is none, otherwise 0

    Args:
        references: The right answers to each question; none if there is no answer.
        predictions: The predicted answers; "" for none.

    Returns:
        Dictionary of `exact_match` and `f1`. If only some questions have answers, also `f1` of
        these, `answered_f1`, and the accuracy of the others, `unanswered_accuracy`.

    Example:
        >>> scores = score_answers([["Ann", "Ann Lee"], []], ["the Ann Lee!", "Bob"])
        >>> scores["exact_match"], scores["answered_f1"], scores["unanswered_accuracy"]
        (0.5, 1.0, 0.0)
    """
    exact, f1, answered = [], [], []
    for texts, prediction in zip(references, predictions, strict=True):
        given = [text for text in texts if normalized(text)] or [""]
        exact.append(max(normalized(text) == normalized(prediction) for text in given))
        f1.append(max(_f1(text, prediction) for text in given))
        answered.append(given != [""])
    scores = {"exact_match": _mean(exact), "f1": _mean(f1)}
    if all(answered) or not any(answered):
        return scores
    with_answer = [score for score, there in zip(f1, answered, strict=True) if there]
    without = [score for score, there in zip(f1, answered, strict=True) if not there]
    return {**scores, "answered_f1": _mean(with_answer), "unanswered_accuracy": _mean(without)}


def normalized(text: str) -> str:
    """An answer without case, punctuation, articles and further spaces.

    Example:
        >>> normalized("The  U.S. (a  state)")
        'us state'
    """
    return " ".join(_ARTICLES.sub(" ", text.lower().translate(_PUNCTUATION)).split())


def _f1(reference: str, prediction: str) -> float:
    right, found = (normalized(text).split() for text in (reference, prediction))
    if not right or not found:
        return float(right == found)
    same = (Counter(right) & Counter(found)).total()
    return 2 * same / (len(right) + len(found))


def _mean(values: Sequence[float]) -> float:
    return sum(values) / max(len(values), 1)
