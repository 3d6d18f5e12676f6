"""Evaluation metrics for answers in passages, as SQuAD's official script computes them."""

from collections.abc import Sequence

from zoo.metrics.measure import value_of
from zoo.metrics.spans import AnswerRows, exact_match, f1


def score_answers(
    references: Sequence[Sequence[str]], predictions: Sequence[str]
) -> dict[str, float]:
    """Exact match and F1, of each answer the best over all that are right, averaged.

    Source: Rajpurkar et al. 2016, section 6.1; Rajpurkar et al. 2018; `evaluate-v2.0.py`, whose
        numbers are 100 times these. For the formulas see `zoo.metrics.spans`.

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
    rows = AnswerRows(references, predictions)
    measures = {**exact_match(rows), **f1(rows)}
    return {name: value_of(measure, len(rows)) for name, measure in measures.items()}
