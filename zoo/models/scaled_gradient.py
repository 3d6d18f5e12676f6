"""A layer that scales the gradient."""

from typing import Any

import keras
from keras import ops


@keras.saving.register_keras_serializable(package="keras_attn")
class ScaledGradient(keras.layers.Layer):
    """The identity, whose gradient is multiplied by a factor.

    Source: Gehring et al. 2017, section 3.4.
    Formula: `y = x`, `dL/dx = factor dL/dy`

    Args:
        factor: The factor.

    Inputs: `x` of any shape.
    Outputs: The same.

    Example:
        >>> ScaledGradient(0.5)(ops.ones((2, 3))).shape[1]
        3
    """

    def __init__(self, factor: float, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.factor = factor
        self.supports_masking = True

    def call(self, x: Any, training: bool | None = None) -> Any:
        if not training:
            return x
        return x * self.factor + ops.stop_gradient(x * (1 - self.factor))

    def compute_output_shape(self, x_shape: tuple) -> tuple:
        return x_shape

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "factor": self.factor}
