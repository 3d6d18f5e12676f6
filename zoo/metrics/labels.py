"""Metrics of answers that are one label each, some of them from the score of every label."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from zoo.metrics.measure import Measure, Measures, additive, divided, share, sums_by_class

BINS = 15  # of the calibration error
TINY = float(np.finfo(np.float64).eps)  # probabilities below count as this in log loss


@dataclass(frozen=True)
class LabelPredictions:
    """Rows with a correct and a predicted label each.

    Args:
        references: The correct labels.
        predictions: The predicted labels; a label of none is no class, and always wrong.
        labels: All labels in class order.
        scores: The probability of each label, (N, C); None if there is only the label.
    """

    references: Sequence[str]
    predictions: Sequence[str]
    labels: Sequence[str]
    scores: np.ndarray | None = None

    def __len__(self) -> int:
        return len(self.references)

    @property
    def expected(self) -> list[Any]:
        """The correct labels."""
        return [*self.references]

    @cached_property
    def classes(self) -> list[str]:
        """All labels, with the predictions and references that are none of them behind."""
        return [*dict.fromkeys([*self.labels, *self.references, *self.predictions])]

    @cached_property
    def true(self) -> np.ndarray:
        """The class of each correct label, (N,)."""
        return self._numbers(self.references)

    @cached_property
    def predicted(self) -> np.ndarray:
        """The class of each predicted label, (N,)."""
        return self._numbers(self.predictions)

    def _numbers(self, labels: Sequence[str]) -> np.ndarray:
        number = {label: i for i, label in enumerate(self.classes)}
        return np.array([number[label] for label in labels], np.int64)

    @property
    def correct(self) -> np.ndarray:
        """1 for each row with the correct label, otherwise 0."""
        return (self.true == self.predicted).astype(np.float64)

    @property
    def answered(self) -> np.ndarray:
        """Whether each row has a label, (N,)."""
        return self.predicted < len(self.labels)

    def sums(self, counts: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """How often each label is predicted correctly, is correct, and is predicted: (R, C) each.

        Args:
            counts: How often each row counts, (R, N).
        """
        size = len(self.classes)
        correct = sums_by_class(self.true, counts * self.correct, size)
        true = sums_by_class(self.true, counts, size)
        return correct, true, sums_by_class(self.predicted, counts, size)


def accuracy(rows: LabelPredictions) -> Measures:
    """The fraction of rows with the correct label."""
    return {"accuracy": share(rows.correct)}


def nsp_accuracy(rows: LabelPredictions) -> Measures:
    """The fraction of pairs of texts with the correct answer whether the second one follows.

    Source: Devlin et al. 2019, section 3.1, task 2.
    """
    return {"nsp_accuracy": share(rows.correct)}


def coverage(rows: LabelPredictions) -> Measures:
    """The fraction of rows that get a label: those of which one is probable enough.

    Source: El-Yaniv & Wiener 2010, "On the Foundations of Noise-free Selective Classification".
    """
    return {"coverage": share(rows.answered.astype(np.float64))}


def selective_accuracy(rows: LabelPredictions) -> Measures:
    """The fraction of the rows with a label that have the correct one; see `coverage`."""
    return {"selective_accuracy": share(rows.correct, rows.answered.astype(np.float64))}


def macro_f1(rows: LabelPredictions) -> Measures:
    """The mean F1 of the labels that occur in the references.

    Source: Manning et al. 2008, "Introduction to Information Retrieval", section 13.6.
    Formula: `F1 = 2 TP / (2 TP + FP + FN)` of each label
    """

    def value(counts: np.ndarray) -> np.ndarray:
        correct, true, predicted = rows.sums(counts)
        return _mean(divided(2 * correct, true + predicted), true > 0)

    return {"macro_f1": value}


def micro_f1(rows: LabelPredictions) -> Measures:
    """F1 over all labels together, which is the accuracy where each row has one label."""
    return {"micro_f1": share(rows.correct)}


def weighted_f1(rows: LabelPredictions) -> Measures:
    """The mean F1 of the labels, weighted by how often each is correct."""

    def value(counts: np.ndarray) -> np.ndarray:
        correct, true, predicted = rows.sums(counts)
        f1 = divided(2 * correct, true + predicted, otherwise=0)
        return divided((f1 * true).sum(axis=1), true.sum(axis=1))

    return {"weighted_f1": value}


def balanced_accuracy(rows: LabelPredictions) -> Measures:
    """The mean recall of the labels that occur in the references.

    Source: Brodersen et al. 2010, "The Balanced Accuracy and Its Posterior Distribution".
    """

    def value(counts: np.ndarray) -> np.ndarray:
        correct, true, _ = rows.sums(counts)
        return _mean(divided(correct, true), true > 0)

    return {"balanced_accuracy": value}


def precision_per_label(rows: LabelPredictions) -> Measures:
    """The fraction of the predictions of each label that are correct, 0 if there are none."""
    return _each(rows, "precision", lambda correct, true, predicted: (correct, predicted))


def recall_per_label(rows: LabelPredictions) -> Measures:
    """The fraction of the rows of each label that are found, 0 if there are none."""
    return _each(rows, "recall", lambda correct, true, predicted: (correct, true))


def f1_per_label(rows: LabelPredictions) -> Measures:
    """F1 of each label, 0 if it occurs nowhere."""
    return _each(rows, "f1", lambda correct, true, predicted: (2 * correct, true + predicted))


def matthews(rows: LabelPredictions) -> Measures:
    """The correlation coefficient of the correct and the predicted labels.

    It is 0 if all predictions are the same, and undefined if all references are.

    Source: Matthews 1975; Gorodkin 2004, equation 8, for several labels.
    Formula: `(c s - sum_k t_k p_k) / sqrt((s^2 - sum_k t_k^2) (s^2 - sum_k p_k^2))` of s rows with
        c correct, t_k of label k, and p_k predictions of it
    """

    def value(counts: np.ndarray) -> np.ndarray:
        correct, true, predicted = rows.sums(counts)
        count = counts.sum(axis=1)
        both = correct.sum(axis=1) * count - (true * predicted).sum(axis=1)
        spread = [count**2 - (each**2).sum(axis=1) for each in (true, predicted)]
        correlation = divided(both, np.sqrt(spread[0] * spread[1]), otherwise=0)
        return np.where(spread[0] > 0, correlation, np.nan)

    return {"matthews": value}


def roc_auc(rows: LabelPredictions) -> Measures:
    """The mean area under the ROC curve of each label against the others.

    Only labels count that some rows have, and others do not; without any, it is undefined.

    Source: Hanley & McNeil 1982 (area as a probability); Provost & Domingos 2000 (one-vs-rest).
    Formula: `P(s_i > s_j) + P(s_i = s_j) / 2` of a row i with the label and a row j without it
    """
    if rows.scores is None:
        return {}
    areas = [_area(scores, rows.true == c) for c, scores in enumerate(rows.scores.T)]
    if len(areas) == 2:  # the other one is the same, but for rounding
        areas = areas[1:]
    return {"roc_auc": _macro(areas)}


def log_loss(rows: LabelPredictions) -> Measures:
    """The mean negative logarithm of the probability of the correct label, in nats."""
    if rows.scores is None:
        return {}
    own = rows.scores[np.arange(len(rows)), rows.true].astype(np.float64)
    return {"log_loss": share(-np.log(np.clip(own, TINY, 1)))}


def calibration_error(rows: LabelPredictions) -> Measures:
    """The expected calibration error: how far the score of the best label is from its accuracy.

    Source: Guo et al. 2017, "On Calibration of Modern Neural Networks", section 2.
    Formula: `sum_b |sum of scores in b - number of correct rows in b| / N` over 15 bins b of equal
        width
    """
    if rows.scores is None:
        return {}
    best = rows.scores.max(axis=1).astype(np.float64)
    correct = rows.scores.argmax(axis=1) == rows.true
    bins = np.minimum(np.ceil(best * BINS).astype(int) - 1, BINS - 1).clip(0)
    gaps = np.zeros((len(rows), BINS + 1))
    gaps[np.arange(len(rows)), bins] = best - correct
    gaps[:, BINS] = 1

    def value(sums: np.ndarray) -> np.ndarray:
        return divided(np.abs(sums[:, :BINS]).sum(axis=1), sums[:, BINS])

    return {"calibration_error": additive(gaps, value)}


def _each(
    rows: LabelPredictions, name: str, parts: Callable[..., tuple[np.ndarray, np.ndarray]]
) -> Measures:
    """A quotient of each label, named `<label>_<name>`."""

    def value(sums: np.ndarray) -> np.ndarray:
        return divided(*parts(*sums.T), otherwise=0)

    def of_label(place: int) -> Measure:
        true, predicted = rows.true == place, rows.predicted == place
        return additive(np.stack([true & predicted, true, predicted], axis=1) * 1.0, value)

    return {f"{label}_{name}": of_label(c) for c, label in enumerate(rows.labels)}


def _area(scores: np.ndarray, positive: np.ndarray) -> Measure:
    """The area under the ROC curve of scores (N,), NaN without rows of both kinds."""
    order = np.argsort(scores, kind="stable")
    ranked, sides = scores[order], (positive[order], ~positive[order])
    starts = np.flatnonzero(np.r_[True, ranked[1:] != ranked[:-1]])  # of equal scores

    def value(counts: np.ndarray) -> np.ndarray:
        sorted_counts = counts[:, order]
        with_label, without = (
            np.add.reduceat(sorted_counts * side, starts, axis=1) for side in sides
        )
        below = np.cumsum(without, axis=1) - without / 2
        pairs = with_label.sum(axis=1) * without.sum(axis=1)
        return divided((with_label * below).sum(axis=1), pairs)

    return value


def _macro(measures: list[Measure]) -> Measure:
    """The mean of the values that are defined."""

    def value(counts: np.ndarray) -> np.ndarray:
        values = np.stack([measure(counts) for measure in measures], axis=1)
        return _mean(values, ~np.isnan(values))

    return value


def _mean(values: np.ndarray, there: np.ndarray) -> np.ndarray:
    """The mean over axis 1 of the values that are there."""
    return divided(np.where(there, values, 0).sum(axis=1), there.sum(axis=1))
