"""Regularizers of layer activations."""

from typing import Any

import keras
from keras import ops

from keras_attn.dense_only import dense_only


@keras.saving.register_keras_serializable(package="keras_attn")
class HeadDiversity(keras.regularizers.Regularizer):
    """Penalty on attention heads that attend to the same positions, or spread over many.

    It is zero if each head attends to a single position, and no two heads to the same one. Queries
    whose weights are all zero, such as masked ones, are ignored. The penalty is summed over the
    sequences because layers divide it by the batch size, as Keras does with activity penalties. It
    is used as `MultiHeadAttention(..., attention_regularizer=HeadDiversity(0.1))`.

    Source: Lin et al. 2017, section 2.2, equation 8.
    Formula: `strength * sum_b mean_t |A A^T - I|^2`, where A (H, S) are the attention weights of
        query t of sequence b, one row per head, and | | is the Frobenius norm

    Args:
        strength: Factor of the penalty.

    Outputs: When called on attention weights (B, H, T, S): a float32 scalar.

    Raises:
        ValueError: If `strength` is negative, or the weights do not have four axes.

    Example:
        >>> from keras import ops
        >>> from keras_attn import HeadDiversity
        >>> apart = ops.reshape(ops.eye(2), (1, 2, 1, 2))
        >>> float(HeadDiversity()(apart)), float(HeadDiversity()(ops.ones((1, 2, 1, 1))))
        (0.0, 2.0)
    """

    def __init__(self, strength: float = 1.0) -> None:
        if strength < 0:
            raise ValueError(f"strength must be 0 or greater; received {strength!r}.")
        self.strength = strength

    @dense_only
    def __call__(self, weights: Any) -> Any:
        if len(weights.shape) != 4:
            raise ValueError(
                f"weights must have the axes (B, H, T, S); received shape {weights.shape}."
            )
        rows = ops.swapaxes(ops.cast(weights, "float32"), 1, 2)  # (B, T, H, S)
        products = ops.matmul(rows, ops.swapaxes(rows, -1, -2))  # (B, T, H, H)
        penalty = ops.sum(ops.square(products - ops.eye(weights.shape[1])), axis=(-2, -1))
        counts = ops.cast(ops.any(rows > 0, axis=(-2, -1)), "float32")  # (B, T)
        count = ops.maximum(ops.sum(counts, axis=-1), 1.0)
        return self.strength * ops.sum(ops.sum(penalty * counts, axis=-1) / count)

    def get_config(self) -> dict[str, Any]:
        return {"strength": self.strength}
