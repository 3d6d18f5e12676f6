"""Evaluation metrics for sets of labels: micro and macro F1, subset accuracy, and F1 of a label."""

from collections.abc import Sequence

from zoo.heads.scores import score_label_lists

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
    rows = [(set(r), set(p)) for r, p in zip(references, predictions, strict=True)]
    each = {}
    for label in labels:
        both = sum(label in r and label in p for r, p in rows)
        either = sum((label in r) + (label in p) for r, p in rows)
        each[label] = 2 * both / either if either else 0.0
    whole = score_label_lists(references, predictions)
    macro = sum(each.values()) / max(len(each), 1)
    own = {f"{label}_f1": score for label, score in each.items()}
    scores = {"micro_f1": whole["micro_f1"], "macro_f1": macro, "accuracy": whole["accuracy"]}
    return {**scores, **(own if len(own) <= REPORTED else {})}
