"""Metrics of answers that are any number of labels each."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from zoo.metrics.measure import Measure, Measures, additive, divided, share


@dataclass(frozen=True)
class LabelSetPredictions:
    """Rows with any number of correct and of predicted labels each.

    Args:
        references: The correct labels of each row.
        predictions: The predicted labels of each row.
        labels: All labels in class order.
    """

    references: Sequence[Sequence[str]]
    predictions: Sequence[Sequence[str]]
    labels: Sequence[str]

    def __len__(self) -> int:
        return len(self.references)

    @property
    def expected(self) -> list[Any]:
        """The correct labels of each row."""
        return [sorted(row) for row in self.references]

    @cached_property
    def true(self) -> np.ndarray:
        """1 for each correct label, (N, C)."""
        return self._flags(self.references)

    @cached_property
    def predicted(self) -> np.ndarray:
        """1 for each predicted label, (N, C)."""
        return self._flags(self.predictions)

    def _flags(self, rows: Sequence[Sequence[str]]) -> np.ndarray:
        number = {label: i for i, label in enumerate(self.labels)}
        flags = np.zeros((len(rows), len(self.labels)))
        for row, own in zip(flags, rows, strict=True):
            row[[number[label] for label in own]] = 1
        return flags


def accuracy(rows: LabelSetPredictions) -> Measures:
    """The fraction of rows of which all labels are right."""
    return {"accuracy": share((rows.true == rows.predicted).all(axis=1).astype(np.float64))}


def micro_f1(rows: LabelSetPredictions) -> Measures:
    """F1 over the labels of all rows.

    Source: Manning et al. 2008, "Introduction to Information Retrieval", section 13.6.
    Formula: `2 TP / (2 TP + FP + FN)`
    """
    both = 2 * (rows.true * rows.predicted).sum(axis=1)
    parts = np.stack([both, (rows.true + rows.predicted).sum(axis=1)], axis=1)
    return {"micro_f1": additive(parts, lambda sums: divided(sums[:, 0], sums[:, 1], otherwise=0))}


def macro_f1(rows: LabelSetPredictions) -> Measures:
    """The mean F1 of the labels, 0 for one that occurs nowhere."""
    both, either = 2 * rows.true * rows.predicted, rows.true + rows.predicted

    def value(counts: np.ndarray) -> np.ndarray:
        return divided(counts @ both, counts @ either, otherwise=0).mean(axis=1)

    return {"macro_f1": value}


def precision_per_label(rows: LabelSetPredictions) -> Measures:
    """The fraction of the predictions of each label that are correct, 0 if there are none."""
    return _each(rows, "precision", rows.true * rows.predicted, rows.predicted)


def recall_per_label(rows: LabelSetPredictions) -> Measures:
    """The fraction of the rows of each label that are found, 0 if there are none."""
    return _each(rows, "recall", rows.true * rows.predicted, rows.true)


def f1_per_label(rows: LabelSetPredictions) -> Measures:
    """F1 of each label, 0 if it occurs nowhere."""
    return _each(rows, "f1", 2 * rows.true * rows.predicted, rows.true + rows.predicted)


def _each(rows: LabelSetPredictions, name: str, part: np.ndarray, whole: np.ndarray) -> Measures:
    """A quotient of each label, named `<label>_<name>`."""

    def of_label(place: int) -> Measure:
        sums = np.stack([part[:, place], whole[:, place]], axis=1)
        return additive(sums, lambda sums: divided(sums[:, 0], sums[:, 1], otherwise=0))

    return {f"{label}_{name}": of_label(c) for c, label in enumerate(rows.labels)}
