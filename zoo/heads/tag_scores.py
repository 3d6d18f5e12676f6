"""Evaluation metrics for tags: accuracy, and precision, recall and F1 of spans."""

from collections.abc import Sequence

from zoo.metrics.measure import values_of
from zoo.metrics.tags import TagRows, accuracy, f1, precision, recall


def score_tags(
    references: Sequence[Sequence[str]], predictions: Sequence[Sequence[str]]
) -> dict[str, float]:
    """Accuracy and, if the tags mark spans, their precision, recall and F1.

    Source: Tjong Kim Sang & De Meulder 2003, section 2.2: a span is correct if its label and both
        its ends are.
    Formula: `precision = correct / predicted`, `recall = correct / true`,
        `f1 = 2 correct / (predicted + true)`, in numbers of spans

    Args:
        references: True tags of each sentence.
        predictions: Predicted tags of each sentence.

    Returns:
        Dictionary of `accuracy` and, for tags of IOB1, IOB2, BIOES, BILOU or BMES, `precision`,
        `recall` and `f1`.

    Example:
        >>> scores = score_tags([["B-PER", "I-PER", "O", "B-LOC"]], [["B-PER", "O", "O", "B-LOC"]])
        >>> scores["accuracy"], scores["f1"]
        (0.75, 0.5)
    """
    rows = TagRows(references, predictions)
    return values_of(rows, accuracy, precision, recall, f1)
