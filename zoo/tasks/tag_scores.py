"""How well tags match theirs: word by word, and as spans."""

from collections.abc import Iterable, Sequence

Span = tuple[str, int, int]


def score_tags(
    references: Sequence[Sequence[str]], predictions: Sequence[Sequence[str]]
) -> dict[str, float]:
    """The share of right tags, and where they mark spans (B-, I-, O) precision, recall and F1.

    Source: Tjong Kim Sang & De Meulder 2003, section 2.2: a span is right if its kind and both its
    ends are.
    Formula: `precision = right / given`, `recall = right / there are`,
    `f1 = 2 right / (given + there are)`

    Args:
        references: The right tags of each sentence.
        predictions: The tags given.

    Example:
        >>> scores = score_tags([["B-PER", "I-PER", "O", "B-LOC"]], [["B-PER", "O", "O", "B-LOC"]])
        >>> scores["accuracy"], scores["f1"]
        (0.75, 0.5)
    """
    pairs = list(zip(references, predictions, strict=True))
    same = [a == b for right, given in pairs for a, b in zip(right, given, strict=True)]
    scores = {"accuracy": sum(same) / max(len(same), 1)}
    if not all(_marks_spans(tag) for tags in references for tag in tags):
        return scores
    spans = [(set(spans_of(right)), set(spans_of(given))) for right, given in pairs]
    right = sum(len(a & b) for a, b in spans)
    there, given = (sum(len(pair[side]) for pair in spans) for side in (0, 1))
    return {
        **scores,
        "precision": right / max(given, 1),
        "recall": right / max(there, 1),
        "f1": 2 * right / max(given + there, 1),
    }


def spans_of(tags: Iterable[str]) -> list[Span]:
    """The spans that tags mark: kind, first word, and the word behind the last.

    A span begins at B-, and at I- where no span of that kind goes on, as in files that mark with
    B- only what follows a span of its own kind.

    Example:
        >>> spans_of(["B-PER", "I-PER", "O", "I-LOC", "B-LOC"])
        [('PER', 0, 2), ('LOC', 3, 4), ('LOC', 4, 5)]
    """
    found: list[Span] = []
    for place, tag in enumerate(tags):
        mark, _, kind = tag.partition("-")
        continues = mark == "I" and found and found[-1][0] == kind and found[-1][2] == place
        if continues:
            found[-1] = (kind, found[-1][1], place + 1)
        elif mark in ("B", "I") and kind:
            found.append((kind, place, place + 1))
    return found


def _marks_spans(tag: str) -> bool:
    return tag == "O" or (tag[:2] in ("B-", "I-") and len(tag) > 2)
