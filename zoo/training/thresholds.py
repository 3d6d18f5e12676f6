"""The threshold of a classifier of several labels, which is fitted to validation data."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import keras
import numpy as np

from zoo.training.calibration import known_logits

CHOICES = np.arange(5, 96) / 100  # probabilities


@dataclass(frozen=True)
class TunedThreshold:
    """A threshold, and the micro F1 without and with it.

    Args:
        threshold: The probability from which a label is predicted.
        before: The micro F1 of the validation data at 0.5.
        after: That at this threshold.
    """

    threshold: float
    before: float
    after: float
    temperature: float = 1.0
    temperatures: Mapping[str, float] = field(default_factory=dict)
    thresholds: Mapping[str, float] = field(default_factory=dict)

    def __str__(self) -> str:
        return (
            f"threshold tuned on the validation data: {self.threshold:.2g}, micro F1 "
            f"{self.before:.4g} at 0.5 and {self.after:.4g} now"
        )


def threshold_of(scores: np.ndarray, labels: np.ndarray) -> TunedThreshold:
    """The threshold with the best micro F1; of equal ones, that nearest to 0.5.

    Source: Yang 2001, "A Study on Thresholding Strategies for Text Categorization", section 2.
    Formula: `argmax_t 2 TP(t) / (2 TP(t) + FP(t) + FN(t))` for t of 0.05, 0.06, ... 0.95

    Args:
        scores: The probability of each label, (N, C).
        labels: 0 and 1, (N, C).

    Example:
        >>> scores = np.array([[0.4, 0.1], [0.35, 0.2], [0.2, 0.9]])
        >>> tuned = threshold_of(scores, np.array([[1, 0], [1, 0], [0, 1]]))
        >>> tuned.threshold, round(tuned.before, 3), tuned.after
        (0.35, 0.5, 1.0)
    """

    def f1(threshold: float) -> float:
        predicted = scores >= threshold
        return float(2 * (predicted & (labels > 0)).sum() / max(predicted.sum() + labels.sum(), 1))

    best = max(CHOICES, key=lambda choice: (f1(choice), -abs(choice - 0.5)))
    return TunedThreshold(float(best), f1(0.5), f1(best))


def tune_threshold(model: keras.Model, batches: Iterable[tuple[Any, Any]]) -> TunedThreshold | None:
    """Fits a threshold to the output `logits` of a model; None without labeled rows.

    Args:
        model: The model.
        batches: Batches of inputs and of 0 and 1 (B, C).
    """
    logits, labels, _ = known_logits(model, batches)
    scores = 1 / (1 + np.exp(-logits.astype(np.float64)))
    return threshold_of(scores, labels) if len(labels) else None
