"""A learned vector that is added, for logits whose matrix belongs to another layer."""

from typing import Any

import keras


@keras.saving.register_keras_serializable(package="keras_attn")
class Bias(keras.layers.Layer):
    """Adds a number of its own to each feature.

    Source: Devlin et al. 2019, the published code: tied logits of masked tokens have a bias.
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
