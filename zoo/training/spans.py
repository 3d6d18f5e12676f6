"""Loss and metric of spans: which token begins an answer, and which ends it."""

from typing import Any

import keras
from keras import ops

from zoo.data.batching.spans import ALLOWED, FIRST, LAST

BLOCKED = -1e9  # the logit of a token that no answer may begin or end with


def position_logs(logits: Any, allowed: Any) -> Any:
    """The log probabilities that an answer begins and ends with each token.

    Formula: `log softmax_t(x)` over the allowed tokens

    Args:
        logits: The logits of the first and of the last token, (B, T, 2).
        allowed: Which tokens may be the first and the last one, bool (B, T).

    Returns:
        Float32 (B, T, 2), about -1e9 for other tokens.

    Example:
        >>> logs = position_logs(ops.zeros((1, 3, 2)), ops.array([[True, True, False]]))
        >>> ops.exp(logs)[0, :, 0].numpy().round(3).tolist()
        [0.5, 0.5, 0.0]
    """
    blocked = ops.where(ops.expand_dims(allowed, -1), ops.cast(logits, "float32"), BLOCKED)
    return ops.log_softmax(blocked, axis=-2)


@keras.saving.register_keras_serializable(package="zoo")
class SpanLoss(keras.losses.Loss):
    """Cross-entropy of the first and the last token of an answer, averaged over both and the rows.

    Source: Devlin et al. 2019, section 4.2.
    Formula: `-(log p_first + log p_last) / 2`

    Inputs: `flags` (B, T): -1 for tokens that no answer has, such as those of the question; 1 for
        the first token, 2 for the last one, 3 for both, 0 for others. `logits` (B, T, 2).
    Outputs: A float32 scalar; rows without a first token do not count.

    Example:
        >>> loss = SpanLoss()(ops.array([[-1, 1, 2]]), ops.zeros((1, 3, 2)))
        >>> round(float(loss), 4)  # log 2
        0.6931
    """

    def __init__(self, name: str = "span_loss") -> None:
        super().__init__(name=name, reduction="sum", dtype="float32")

    def call(self, flags: Any, logits: Any) -> Any:
        chosen, counted = chosen_tokens(flags)
        logs = position_logs(logits, ops.cast(flags, "int32") >= ALLOWED)
        losses = -ops.sum(ops.where(chosen, logs, 0.0), axis=(1, 2)) / 2
        return ops.sum(losses * counted) / ops.maximum(ops.sum(counted), 1.0)

    def get_config(self) -> dict[str, Any]:
        return {"name": self.name}


@keras.saving.register_keras_serializable(package="zoo")
class SpanAccuracy(keras.metrics.Mean):
    """The share of rows whose most probable first and last tokens are both right.

    Inputs: `flags` (B, T) and `logits` (B, T, 2), as those of `SpanLoss`.
    Outputs: A float32 scalar.

    Example:
        >>> metric = SpanAccuracy()
        >>> metric.update_state([[-1, 3, 0]], [[[9.0, 9.0], [1.0, 1.0], [0.0, 0.0]]])
        >>> float(metric.result())
        1.0
    """

    def __init__(self, name: str = "accuracy", dtype: Any = None) -> None:
        super().__init__(name=name, dtype=dtype)

    def update_state(self, flags: Any, logits: Any, sample_weight: Any = None) -> None:
        chosen, counted = chosen_tokens(flags)
        logs = position_logs(logits, ops.cast(flags, "int32") >= ALLOWED)
        right = ops.equal(ops.argmax(logs, axis=1), ops.argmax(chosen, axis=1))
        super().update_state(ops.cast(ops.all(right, axis=-1), "float32"), counted)


def chosen_tokens(flags: Any) -> tuple[Any, Any]:
    """Which tokens are the first and the last one, bool (B, T, 2), and 1 for rows that count (B,).

    Example:
        >>> chosen, counted = chosen_tokens([[0, 3], [-1, -1]])
        >>> chosen[0].numpy().tolist(), counted.numpy().tolist()
        ([[False, False], [True, True]], [1.0, 0.0])
    """
    flags = ops.cast(flags, "int32")[..., None]
    first, last = (
        ops.equal(flags, each) | ops.equal(flags, FIRST + LAST) for each in (FIRST, LAST)
    )
    chosen = ops.concatenate([first, last], axis=-1)
    return chosen, ops.cast(ops.any(first, axis=(1, 2)), "float32")
