"""Evaluation metrics for tags: accuracy, and precision, recall and F1 of spans."""

from collections.abc import Iterable, Sequence

Span = tuple[str, int, int]


def score_tags(
    references: Sequence[Sequence[str]], predictions: Sequence[Sequence[str]]
) -> dict[str, float]:
    """Accuracy and, if the tags are BIO tags, precision, recall and F1 of the spans.

    Source: Tjong Kim Sang & De Meulder 2003, section 2.2: a span is correct if its label and both
        its ends are.
    Formula: `precision = correct / predicted`, `recall = correct / true`,
        `f1 = 2 correct / (predicted + true)`, in numbers of spans

    Args:
        references: True tags of each sentence.
        predictions: Predicted tags of each sentence.

    Returns:
        Dictionary of `accuracy` and, for BIO tags, `precision`, `recall` and `f1`.

    Example:
        >>> scores = score_tags([["B-PER", "I-PER", "O", "B-LOC"]], [["B-PER", "O", "O", "B-LOC"]])
        >>> scores["accuracy"], scores["f1"]
        (0.75, 0.5)
    """
    pairs = list(zip(references, predictions, strict=True))
    same = [a == b for true, predicted in pairs for a, b in zip(true, predicted, strict=True)]
    scores = {"accuracy": sum(same) / max(len(same), 1)}
    if not all(_is_bio(tag) for tags in references for tag in tags):
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


def spans_of(tags: Iterable[str]) -> list[Span]:
    """The spans of BIO tags, each as (label, index of the first word, index after the last word).

    A span starts at B-, and also at I- unless it continues a span with the same label. So the
    original scheme is also supported, which uses B- only between adjacent spans with equal labels.

    Example:
        >>> spans_of(["B-PER", "I-PER", "O", "I-LOC", "B-LOC"])
        [('PER', 0, 2), ('LOC', 3, 4), ('LOC', 4, 5)]
    """
    found: list[Span] = []
    for i, tag in enumerate(tags):
        prefix, _, label = tag.partition("-")
        continues = prefix == "I" and found and found[-1][0] == label and found[-1][2] == i
        if continues:
            found[-1] = (label, found[-1][1], i + 1)
        elif prefix in ("B", "I") and label:
            found.append((label, i, i + 1))
    return found


def _is_bio(tag: str) -> bool:
    return tag == "O" or (tag[:2] in ("B-", "I-") and len(tag) > 2)
