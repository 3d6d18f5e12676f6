"""Weights of the losses of several tasks that are learned with the model."""

from typing import Any

import keras
import numpy as np
from keras import ops


@keras.saving.register_keras_serializable(package="zoo")
class LearnedWeightLoss(keras.losses.Loss):
    """The loss of one of several tasks, with a weight that is learned: its uncertainty.

    Source: Kendall, Gal & Cipolla 2018, "Multi-Task Learning Using Uncertainty to Weigh Losses for
        Scene Geometry and Semantics", equations 7 and 10.
    Formula: `c L / sigma^2 + log sigma`, where c is 1/2 for values and 1 for classes, and
        `log sigma^2` is trained; 0 in a batch of other tasks

    Args:
        loss: The loss L of the task.
        log_variance: The trained weights `log sigma^2` of all tasks, (N,).
        index: The number of the task.
        precision: The factor c.
        missing: What targets are in rows of other tasks: -1 or NaN.
        scale: Factor of L.

    Inputs: `targets` and `outputs` as `loss` takes them.
    Outputs: A float32 scalar.

    Example:
        >>> variance = keras.Variable([np.log(4.0)])
        >>> squared = keras.losses.MeanSquaredError()
        >>> loss = LearnedWeightLoss(squared, variance, 0, precision=0.5, missing=np.nan)
        >>> round(float(loss([[3.0]], [[1.0]])), 4)  # 4 / 8 + log 2
        1.1931
    """

    def __init__(
        self,
        loss: keras.losses.Loss,
        log_variance: keras.Variable,
        index: int,
        precision: float = 1.0,
        missing: float = -1,
        scale: float = 1.0,
        name: str = "learned_weight_loss",
    ) -> None:
        super().__init__(name=name, reduction="sum", dtype="float32")
        self.loss, self.log_variance, self.index = loss, log_variance, index
        self.precision, self.missing, self.scale = precision, missing, scale

    def call(self, targets: Any, outputs: Any) -> Any:
        missing = ops.isnan(targets) if np.isnan(self.missing) else targets == self.missing
        known = ops.cast(ops.any(ops.logical_not(missing)), "float32")
        log_variance = ops.cast(self.log_variance, "float32")[self.index]
        weight = self.precision * self.scale * ops.exp(-log_variance)
        return known * (weight * self.loss(targets, outputs) + 0.5 * log_variance)


def learned_weight(log_variance: float, precision: float) -> float:
    """The weight of a loss: `precision / sigma^2`.

    Example:
        >>> learned_weight(0.0, 0.5)
        0.5
    """
    return float(precision * np.exp(-log_variance))
