"""Evaluation metrics for tags: accuracy, and precision, recall and F1 of spans."""

from collections.abc import Sequence

from zoo.data.readers.spans import has_spans, spans_of


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
    pairs = list(zip(references, predictions, strict=True))
    same = [a == b for true, predicted in pairs for a, b in zip(true, predicted, strict=True)]
    scores = {"accuracy": sum(same) / max(len(same), 1)}
    if not has_spans({tag for tags in references for tag in tags}):
        return scores
    spans = [(set(spans_of(true)), set(spans_of(predicted))) for true, predicted in pairs]
    correct = sum(len(a & b) for a, b in spans)
    num_true, num_predicted = (sum(len(pair[side]) for pair in spans) for side in (0, 1))
    return {
        **scores,
        "precision": correct / max(num_predicted, 1),
        "recall": correct / max(num_true, 1),
        "f1": 2 * correct / max(num_predicted + num_true, 1),
    }
