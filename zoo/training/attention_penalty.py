"""A penalty that makes attention cover all positions."""

from typing import Any

import keras
from keras import ops


@keras.saving.register_keras_serializable(package="zoo")
class AttentionPenalty(keras.losses.Loss):
    """How much the attention weights of each cell of an image, added up over all words, miss 1.

    It is divided by the number of tokens, as the cross-entropy is, so that the weight of the
    penalty has the size that it has in the paper, for a text as a whole.

    Source: Xu et al. 2015, section 4.2.1 and equation 14, doubly stochastic attention.
    Formula: `sum over texts with tokens and over cells i of (1 - s_i)^2 / number of tokens`, with
        `s_i = sum over t of alpha_ti`

    Args:
        pad: Id of padding.

    Inputs: `y_true` (B, T), the ids of the texts; `y_pred` (B, L), the sums s.
    Outputs: A float32 scalar; 0 without tokens.

    Example:
        >>> round(float(AttentionPenalty(0)([[7, 3, 0], [0, 0, 0]], [[1.5, 0.5], [0.0, 0.0]])), 4)
        0.25
    """

    def __init__(self, pad: int, name: str = "attention_penalty", **kwargs: Any) -> None:
        super().__init__(name=name, reduction="sum", dtype="float32")
        self.pad = pad

    def call(self, y_true: Any, y_pred: Any) -> Any:
        # Keras has cast the ids to floats.
        tokens = ops.sum(ops.cast(ops.not_equal(y_true, self.pad), "float32"), axis=1)
        missed = ops.sum(ops.square(1.0 - ops.cast(y_pred, "float32")), axis=1)
        missed = ops.sum(ops.where(tokens > 0, missed, 0.0))
        return missed / ops.maximum(ops.sum(tokens), 1.0)

    def get_config(self) -> dict[str, Any]:
        return {"pad": self.pad, "name": self.name}
