"""Evaluation metrics for sets of labels: micro and macro F1, subset accuracy, and F1 of a label."""

from collections.abc import Sequence

from zoo.metrics.label_sets import LabelSetRows, accuracy, f1_per_label, macro_f1, micro_f1
from zoo.metrics.measure import values_of

REPORTED = 50  # maximum number of labels of which each has an F1 of its own


def score_label_sets(
    references: Sequence[Sequence[str]], predictions: Sequence[Sequence[str]], labels: Sequence[str]
) -> dict[str, float]:
    """Micro and macro F1, the fraction of rows of which all labels are right, and F1 of each label.

    Source: Manning et al. 2008, "Introduction to Information Retrieval", section 13.6.
    Formula: `F1 = 2 TP / (2 TP + FP + FN)`, over the labels of all rows (micro), or the mean over
        the labels (macro); 0 for a label that occurs nowhere

    Args:
        references: The true labels of each row.
        predictions: The predicted labels of each row.
        labels: All labels.

    Returns:
        Dictionary of `micro_f1`, `macro_f1` and `accuracy`, and of up to 50 labels `LABEL_f1`.

    Example:
        >>> scores = score_label_sets([["a", "b"], ["a"], []], [["a"], ["a"], ["b"]], ["a", "b"])
        >>> round(scores["micro_f1"], 3), scores["macro_f1"], scores["a_f1"]
        (0.667, 0.5, 1.0)
    """
    rows = LabelSetRows(references, predictions, labels)
    each = [f1_per_label] if len(labels) <= REPORTED else []
    return values_of(rows, micro_f1, macro_f1, accuracy, *each)
