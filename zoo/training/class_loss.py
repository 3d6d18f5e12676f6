"""Losses of classes: cross-entropy with a weight for each class, and focal loss."""

from collections.abc import Sequence
from typing import Any

import keras
import numpy as np
from keras import ops

from keras_attn.losses import MaskedCrossentropy
from keras_attn.losses.masked import token_crossentropy
from keras_attn.metrics.token import MaskedAccuracy
from zoo.data.batching.padded_columns import NO_LABEL


def balanced_weights(counts: np.ndarray) -> tuple[float, ...]:
    """Weights of classes with which each has the same part in the loss.

    Source: King & Zeng 2001, "Logistic Regression in Rare Events Data", section 4.2; scikit-learn's
        `class_weight="balanced"`.
    Formula: `w_c = N / (C n_c)` of n_c rows of class c, N in all, and C classes with some rows

    Args:
        counts: The number of rows of each class, (C,). A class without rows gets the weight 1.

    Example:
        >>> balanced_weights(np.array([6, 2, 0]))
        (0.6666666666666666, 2.0, 1.0)
    """
    present = counts > 0
    weights = counts.sum() / (present.sum() * np.where(present, counts, 1))
    return tuple(np.where(present, weights, 1.0).tolist())


@keras.saving.register_keras_serializable(package="keras_attn")
class ClassCrossentropy(MaskedCrossentropy):
    """Cross-entropy of classes, averaged over rows with labels by the weights of their classes.

    Source: Lin et al. 2017, "Focal Loss for Dense Object Detection", section 3 (focal loss).
    Formula: `sum_i w_i (1 - p_i)^g c_i / sum_i w_i`, with p_i the probability and w_i the weight
        of the correct class of row i, c_i its cross-entropy, and g the focusing parameter

    Args:
        label_smoothing: Label smoothing factor.
        gamma: Focusing parameter g; with 0 it is cross-entropy.
        class_weights: The weight of each class; 1 if there are none.

    Example:
        >>> loss = ClassCrossentropy(gamma=2.0)
        >>> round(float(loss(np.array([0]), np.zeros((1, 2)))), 4)  # log(2) / 4
        0.1733
    """

    def __init__(
        self,
        label_smoothing: float = 0.0,
        gamma: float = 0.0,
        class_weights: Sequence[float] = (),
        name: str = "class_crossentropy",
    ) -> None:
        super().__init__(label_smoothing, NO_LABEL, name)
        self.gamma, self.class_weights = gamma, tuple(class_weights)

    def __call__(self, labels: Any, logits: Any, sample_weight: Any = None) -> Any:
        """The mean loss of the rows that have a label."""
        weights = weights_of(labels, self.class_weights, sample_weight)
        return super().__call__(labels, logits, weights)

    def call(self, labels: Any, logits: Any) -> Any:
        """The loss of each row."""
        loss = super().call(labels, logits)
        if not self.gamma:
            return loss
        known = ops.maximum(ops.cast(labels, "int32"), 0)
        plain = token_crossentropy(known, logits) if self.label_smoothing else loss
        # Not exactly 0, where a power below 1 has no derivative.
        missing = ops.maximum(-ops.expm1(-plain), 1e-7)
        return ops.power(missing, self.gamma) * loss

    def get_config(self) -> dict[str, Any]:
        """The arguments."""
        config = {**super().get_config(), "gamma": self.gamma, "class_weights": self.class_weights}
        return {name: value for name, value in config.items() if name != "ignore_id"}


class BalancedAccuracy(MaskedAccuracy):
    """Accuracy in which each row counts as much as its class weighs.

    With weights of `balanced_weights` it is the mean recall of the classes.

    Args:
        class_weights: The weight of each class.
        name: Name of the metric.
    """

    def __init__(self, class_weights: Sequence[float], name: str = "balanced_accuracy") -> None:
        super().__init__(NO_LABEL, name=name)
        self.class_weights = tuple(class_weights)

    def update_state(self, labels: Any, logits: Any, sample_weight: Any = None) -> Any:
        """Adds a batch."""
        weights = weights_of(labels, self.class_weights, sample_weight)
        return super().update_state(labels, logits, weights)


def weights_of(labels: Any, class_weights: Sequence[float], sample_weight: Any = None) -> Any:
    """The weight of each row: that of its class, by its own; None if there are neither.

    Args:
        labels: Class numbers; those below 0 have the weight of class 0.
        class_weights: The weight of each class; empty if there are none.
        sample_weight: The weight of each row, or None.
    """
    if not class_weights:
        return sample_weight
    known = ops.maximum(ops.cast(labels, "int32"), 0)
    weights = ops.take(ops.array(class_weights, "float32"), known)
    return weights if sample_weight is None else weights * ops.cast(sample_weight, "float32")
