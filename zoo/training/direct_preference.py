"""Direct preference optimization: its loss, and the accuracy and the margin of its rewards."""

from typing import Any

import keras
from keras import ops

REWARD_ACCURACY, REWARD_MARGIN = "reward_accuracy", "reward_margin"


def rewards(labels: Any, logits: Any, beta: float, ignore_id: int) -> tuple[Any, Any]:
    """The implicit rewards of pairs of answers.

    Source: Rafailov et al. 2023, section 5.
    Formula: `r = beta (sum_t log p(y_t) - log p_ref(y))`, over the tokens of an answer y

    Args:
        labels: Tensor (2 B, T + 1), rows in pairs, of which the first is chosen: the
            log-probability of the answer by the reference, and then its tokens, at their places.
        logits: Tensor (2 B, T, V).
        beta: Strength of the reference.
        ignore_id: Label of the places that are not of the answer.

    Returns:
        The rewards (B, 2), and 1 for each pair, but 0 for one of padding (B,), both float32.
    """
    labels, logits = ops.cast(labels, "float32"), ops.cast(logits, "float32")
    tokens = ops.cast(labels[:, 1:], "int32")
    counted = ops.not_equal(tokens, ignore_id)
    indices = ops.expand_dims(ops.where(counted, tokens, 0), -1)
    of_tokens = ops.squeeze(ops.take_along_axis(logits, indices, axis=-1), -1)
    log_p = ops.where(counted, of_tokens - ops.logsumexp(logits, axis=-1), 0.0)
    reward = beta * (ops.sum(log_p, axis=-1) - labels[:, 0])
    real = ops.any(counted, axis=-1)
    pairs = ops.reshape(ops.where(real, reward, 0.0), (-1, 2))
    return pairs, ops.cast(ops.all(ops.reshape(real, (-1, 2)), axis=-1), "float32")


@keras.saving.register_keras_serializable(package="zoo")
class DirectPreference(keras.losses.Loss):
    """The loss of direct preference optimization (DPO).

    Source: Rafailov et al. 2023, equation 7.
    Formula: `L = -1/B sum_b log sigmoid(r(chosen_b) - r(rejected_b))`; see `rewards`

    Args:
        beta: Strength of the reference.
        ignore_id: Label of the places that are not of an answer.

    Inputs: See `rewards`. Pairs of padding are ignored.
    Outputs: A float32 scalar.

    Example:
        >>> labels = ops.array([[-1.0, 2.0], [-3.0, 1.0]])
        >>> round(float(DirectPreference(beta=0.5, ignore_id=-1)(labels, ops.zeros((2, 1, 4)))), 4)
        1.3133
    """

    def __init__(
        self,
        beta: float = 0.1,
        ignore_id: int = 0,
        name: str = "direct_preference",
        **kwargs: Any,
    ) -> None:
        super().__init__(name=name, reduction="sum", dtype="float32")
        self.beta, self.ignore_id = beta, ignore_id

    def call(self, labels: Any, logits: Any) -> Any:
        both, weight = rewards(labels, logits, self.beta, self.ignore_id)
        losses = -ops.log_sigmoid(both[:, 0] - both[:, 1])
        return ops.sum(losses * weight) / ops.maximum(ops.sum(weight), 1.0)

    def get_config(self) -> dict[str, Any]:
        return {"beta": self.beta, "ignore_id": self.ignore_id, "name": self.name}


class _OfPairs(keras.metrics.Mean):
    """A mean over the pairs since the last reset."""

    def __init__(self, beta: float, ignore_id: int, name: str, **kwargs: Any) -> None:
        super().__init__(name=name, dtype="float32")
        self.beta, self.ignore_id = beta, ignore_id

    def of_margins(self, margins: Any) -> Any:
        """What is averaged, given the rewards of the chosen answers less those of the rejected."""
        raise NotImplementedError

    def update_state(self, labels: Any, logits: Any, sample_weight: Any = None) -> None:
        both, weight = rewards(labels, logits, self.beta, self.ignore_id)
        super().update_state(self.of_margins(both[:, 0] - both[:, 1]), sample_weight=weight)

    def get_config(self) -> dict[str, Any]:
        return {"beta": self.beta, "ignore_id": self.ignore_id, "name": self.name}


@keras.saving.register_keras_serializable(package="zoo")
class RewardAccuracy(_OfPairs):
    """Fraction of pairs of which the chosen answer has the higher reward; half if both are equal.

    Args:
        beta, ignore_id: See `DirectPreference`.
        name: Name of the metric.
    """

    def __init__(
        self, beta: float = 0.1, ignore_id: int = 0, name: str = REWARD_ACCURACY, **kwargs: Any
    ) -> None:
        super().__init__(beta, ignore_id, name)

    def of_margins(self, margins: Any) -> Any:
        return (ops.sign(margins) + 1.0) / 2.0


@keras.saving.register_keras_serializable(package="zoo")
class RewardMargin(_OfPairs):
    """Mean reward of the chosen answers, less that of the rejected ones.

    Args:
        beta, ignore_id: See `DirectPreference`.
        name: Name of the metric.
    """

    def __init__(
        self, beta: float = 0.1, ignore_id: int = 0, name: str = REWARD_MARGIN, **kwargs: Any
    ) -> None:
        super().__init__(beta, ignore_id, name)

    def of_margins(self, margins: Any) -> Any:
        return margins
