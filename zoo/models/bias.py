"""A learned bias, for logits whose kernel belongs to another layer."""

from typing import Any

import keras


@keras.saving.register_keras_serializable(package="keras_attn")
class Bias(keras.layers.Layer):
    """Adds a learned bias to the features.

    Source: Devlin et al. 2019, the released code, for the logits of the masked LM head.
    Formula: `y = x + b`

    Inputs: `x` (..., V).
    Outputs: (..., V).

    Example:
        >>> tuple(Bias()(keras.ops.ones((2, 3, 5))).shape)
        (2, 3, 5)
    """

    def build(self, x_shape: tuple) -> None:
        self.bias = self.add_weight((x_shape[-1],), "zeros", name="bias")

    def call(self, x: Any) -> Any:
        return x + self.bias

    def compute_output_shape(self, x_shape: tuple) -> tuple:
        return x_shape
