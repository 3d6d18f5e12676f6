"""Metrics of pairs of answers, of which people prefer the one that is chosen."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from zoo.metrics.measure import Measures, share


@dataclass(frozen=True)
class PreferenceRows:
    """The log-probabilities of pairs of answers, in nats, each summed over its tokens.

    Args:
        chosen: Those of the chosen answers, (N,).
        rejected: Those of the rejected ones, (N,).
    """

    chosen: np.ndarray
    rejected: np.ndarray

    def __len__(self) -> int:
        return len(self.chosen)

    @property
    def expected(self) -> list[Any]:
        """The number of each pair."""
        return list(range(len(self)))


def preference_accuracy(rows: PreferenceRows) -> Measures:
    """The share of pairs of which the chosen answer is more probable; half where both are equal.

    Other than the reward accuracy of a training, it knows no model before the training.

    Example:
        >>> from zoo.metrics.measure import value_of
        >>> rows = PreferenceRows(np.array([-3.0, -7.0, -2.0]), np.array([-4.0, -5.0, -2.0]))
        >>> value_of(preference_accuracy(rows)["preference_accuracy"], len(rows))
        0.5
    """
    higher = (np.sign(rows.chosen - rows.rejected) + 1) / 2
    return {"preference_accuracy": share(higher)}


def preference_margin(rows: PreferenceRows) -> Measures:
    """The mean of the log-probability of the chosen answer less that of the rejected, in nats."""
    return {"preference_margin": share(rows.chosen - rows.rejected)}
