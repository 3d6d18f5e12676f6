"""Loss of quantile forecasts."""

from collections.abc import Sequence
from typing import Any

import keras
from keras import ops


@keras.saving.register_keras_serializable(package="zoo")
class PinballLoss(keras.losses.Loss):
    """Pinball loss of quantiles, averaged over quantiles and over the values that are not missing.

    Source: Koenker & Bassett 1978; Wen et al. 2017, section 3.1.
    Formula: `mean over y not missing, and over q, of max(q (y - f_q), (q - 1) (y - f_q))`

    Args:
        quantiles: The levels of the quantiles, in (0, 1).

    Inputs: `y_true` (B, ...), NaN where missing; `y_pred` (B, ..., Q).
    Outputs: A float32 scalar; 0 if all values are missing.

    Example:
        >>> loss = PinballLoss([0.5, 0.9])
        >>> round(float(loss([[2.0, float("nan")]], [[[1.0, 4.0], [9.0, 9.0]]])), 4)
        0.35
    """

    def __init__(
        self, quantiles: Sequence[float], name: str = "pinball_loss", **kwargs: Any
    ) -> None:
        super().__init__(name=name, reduction="sum", dtype="float32")
        self.quantiles = list(quantiles)

    def call(self, y_true: Any, y_pred: Any) -> Any:
        levels = ops.convert_to_tensor(self.quantiles, "float32")
        y_true = ops.expand_dims(ops.cast(y_true, "float32"), -1)
        there = ops.logical_not(ops.isnan(y_true))
        error = ops.where(there, y_true, 0.0) - ops.cast(y_pred, "float32")
        each = ops.mean(ops.maximum(levels * error, (levels - 1) * error), axis=-1, keepdims=True)
        weights = ops.cast(there, "float32")
        return ops.sum(each * weights) / ops.maximum(ops.sum(weights), 1.0)

    def get_config(self) -> dict[str, Any]:
        return {"quantiles": self.quantiles, "name": self.name}
