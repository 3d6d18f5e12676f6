"""Dense projections into and out of attention heads."""

import math
from typing import Any

import keras
from keras import ops

from keras_attn.functional.dense import dense


@keras.saving.register_keras_serializable(package="keras_attn")
class Projection(keras.layers.Layer):
    """Dense layer with several input or output axes, such as heads and their features.

    The weights have the shapes of those in Keras's attention layers. The kernel is initialized as a
    matrix, so that the initializer sees its true fan.

    Source: Vaswani et al. 2017, section 3.2.2.
    Formula: `y[..., o] = sum_i x[..., i] W[i, o] + b[o]`, i and o running over all input and all
        output axes

    Args:
        outputs: Sizes of the output axes, such as (H, K).
        inputs: Sizes of the input axes. Defaults to the last axis of x.
        use_bias: Whether to add a bias.
        kernel_initializer: Initializer of the kernel.
        bias_initializer: Initializer of the bias.

    Inputs: `x` (..., *inputs). Weights: W (*inputs, *outputs), b (*outputs).
    Outputs: (..., *outputs).

    Raises:
        ValueError: If the last axes of x do not have the sizes `inputs`.

    Example:
        >>> layer = Projection(outputs=(2, 7))
        >>> tuple(layer(ops.ones((3, 5, 11))).shape), [tuple(w.shape) for w in layer.weights]
        ((3, 5, 2, 7), [(11, 2, 7), (2, 7)])
    """

    def __init__(
        self,
        outputs: tuple[int, ...],
        inputs: tuple[int, ...] | None = None,
        use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.outputs = tuple(outputs)
        self.inputs = None if inputs is None else tuple(inputs)
        self.use_bias = use_bias
        # Clones, because an initializer instance returns the same values at every call.
        self.kernel_initializer = keras.initializers.get(kernel_initializer).clone()
        self.bias_initializer = keras.initializers.get(bias_initializer).clone()
        self.supports_masking = True

    def build(self, x_shape: tuple) -> None:
        inputs = self.inputs or tuple(x_shape[-1:])
        if tuple(x_shape[-len(inputs) :]) != inputs:
            raise ValueError(f"The last axes of x must be {inputs}; received the shape {x_shape}.")
        self._matrix_shape = (math.prod(inputs), math.prod(self.outputs))
        self.kernel = self.add_weight(
            name="kernel", shape=(*inputs, *self.outputs), initializer=self._draw_kernel
        )
        self.bias = None
        if self.use_bias:
            self.bias = self.add_weight(
                name="bias", shape=self.outputs, initializer=self.bias_initializer
            )

    def _draw_kernel(self, shape: tuple, dtype: Any = None) -> Any:
        return ops.reshape(self.kernel_initializer(self._matrix_shape, dtype=dtype), shape)

    def call(self, x: Any) -> Any:
        return dense(x, self.kernel, self.bias, len(self.kernel.shape) - len(self.outputs))

    def compute_output_shape(self, x_shape: tuple) -> tuple:
        return (*x_shape[: -len(self.inputs or (1,))], *self.outputs)

    def get_config(self) -> dict[str, Any]:
        config = {
            "outputs": self.outputs,
            "inputs": self.inputs,
            "use_bias": self.use_bias,
            "kernel_initializer": keras.initializers.serialize(self.kernel_initializer),
            "bias_initializer": keras.initializers.serialize(self.bias_initializer),
        }
        return {**super().get_config(), **config}
