"""Metrics of answers that are a tag for each word of a sentence, and of the spans in them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from zoo.data.readers.spans import has_spans, spans_of
from zoo.metrics.measure import Measure, Measures, additive, divided, share


@dataclass(frozen=True)
class TagRows:
    """Sentences with a correct and a predicted tag for each word.

    Args:
        references: The correct tags of each sentence.
        predictions: The predicted tags of each sentence.
    """

    references: Sequence[Sequence[str]]
    predictions: Sequence[Sequence[str]]

    def __len__(self) -> int:
        return len(self.references)

    @property
    def expected(self) -> list[Any]:
        """The correct tags."""
        return [[*row] for row in self.references]

    @property
    def has_spans(self) -> bool:
        """Whether the tags mark spans."""
        return has_spans({tag for tags in self.references for tag in tags})


def accuracy(rows: TagRows) -> Measures:
    """The fraction of words with the correct tag."""
    pairs = [*zip(rows.references, rows.predictions, strict=True)]
    right = [sum(a == b for a, b in zip(*pair, strict=True)) for pair in pairs]
    return {"accuracy": share(np.array(right), np.array([len(true) for true, _ in pairs]))}


def precision(rows: TagRows) -> Measures:
    """The fraction of the predicted spans that are correct.

    Source: Tjong Kim Sang & De Meulder 2003, section 2.2: a span is correct if its label and both
        its ends are.
    """
    return _spans(rows, "precision", np.array([0, 0, 1]))


def recall(rows: TagRows) -> Measures:
    """The fraction of the correct spans that are found."""
    return _spans(rows, "recall", np.array([0, 1, 0]))


def f1(rows: TagRows) -> Measures:
    """The harmonic mean of precision and recall of spans."""
    return _spans(rows, "f1", np.array([0, 0.5, 0.5]))


def _spans(rows: TagRows, name: str, whole: np.ndarray) -> Measures:
    """Correct spans divided by a mixture of true and predicted ones; 0 if there are none.

    Nothing if the tags mark no spans.
    """
    if not rows.has_spans:
        return {}
    counts = []
    for true, predicted in zip(rows.references, rows.predictions, strict=True):
        ours, theirs = set(spans_of(true)), set(spans_of(predicted))
        counts.append([len(ours & theirs), len(ours), len(theirs)])
    measure: Measure = additive(
        np.array(counts, np.float64), lambda sums: divided(sums[:, 0], sums @ whole, otherwise=0)
    )
    return {name: measure}
