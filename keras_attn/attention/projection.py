"""Dense projections into and out of attention heads."""

import string
from typing import Any

import keras

from keras_attn.functional.dense import dense


@keras.saving.register_keras_serializable(package="keras_attn")
class Projection(keras.layers.EinsumDense):
    """Dense layer with several input or output axes, such as heads and their features.

    It is the `keras.layers.EinsumDense` of Keras's attention layers, with the same weights, LoRA
    and quantization, but computes its output as one product of two matrices.

    Source: Vaswani et al. 2017, section 3.2.2.
    Formula: `y[..., o] = activation(sum_i x[..., i] W[i, o] + b[o])`, i and o running over all
        input and all output axes

    Args:
        outputs: Sizes of the output axes, such as (H, K).
        input_axes: Number of input axes.
        use_bias: Whether to add a bias.
        kernel_initializer: Initializer of the kernel.
        bias_initializer: Initializer of the bias.
        **kwargs: Keyword arguments of `keras.layers.EinsumDense`, such as `activation`.

    Inputs: `x` (..., *inputs). Weights: W (*inputs, *outputs), b (*outputs).
    Outputs: (..., *outputs).

    Raises:
        ValueError: If a keyword argument is not one of `keras.layers.EinsumDense`.

    Example:
        >>> from keras import ops
        >>> layer = Projection(outputs=(2, 7))
        >>> tuple(layer(ops.ones((3, 5, 11))).shape), [tuple(w.shape) for w in layer.weights]
        ((3, 5, 2, 7), [(11, 2, 7), (2, 7)])
    """

    def __init__(
        self,
        outputs: tuple[int, ...],
        input_axes: int = 1,
        use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        **kwargs: Any,
    ) -> None:
        letters = string.ascii_lowercase[: input_axes + len(outputs)]
        x, y = letters[:input_axes], letters[input_axes:]
        super().__init__(
            f"...{x},{letters}->...{y}",
            outputs,
            bias_axes=y if use_bias else None,
            # Clones, because an initializer instance returns the same values at every call.
            kernel_initializer=keras.initializers.get(kernel_initializer).clone(),
            bias_initializer=keras.initializers.get(bias_initializer).clone(),
            **kwargs,
        )
        self.outputs = tuple(outputs)
        self.input_axes = input_axes
        self.supports_masking = True

    def build(self, x_shape: tuple) -> None:
        # Keras cannot quantize equations with an ellipsis.
        leading = len(x_shape) - self.input_axes
        self.equation: str = self.equation.replace("...", string.ascii_lowercase[-leading:])
        self.partial_output_shape = (*[None] * (leading - 1), *self.outputs)
        super().build(x_shape)
        sizes = enumerate(x_shape[-self.input_axes :], start=-self.input_axes)
        self.input_spec = keras.layers.InputSpec(axes=dict(sizes))

    def call(self, x: Any, training: bool | None = None) -> Any:
        return self.activation(dense(x, self.kernel, self.bias, self.input_axes))

    def compute_output_shape(self, x_shape: tuple) -> tuple:
        return (*x_shape[: -self.input_axes], *self.outputs)

    def quantize(self, mode: Any = None, type_check: bool = True, config: Any = None) -> None:
        # Keras quantizes a subclass only without the check of the type, and for one rank of x.
        self.input_spec = keras.layers.InputSpec(ndim=self.equation.index(","))
        super().quantize(mode, type_check=False, config=config)

    def get_config(self) -> dict[str, Any]:
        config = super().get_config()
        for name in ("equation", "output_shape", "bias_axes"):
            del config[name]
        use_bias = self.bias_axes is not None
        own = {"outputs": self.outputs, "input_axes": self.input_axes, "use_bias": use_bias}
        return {**config, **own}


def unquantized(dtype: Any) -> tuple[Any, Any]:
    """Returns the dtype policy of a layer, and that of its projections if they are quantized.

    Args:
        dtype: Dtype policy of the layer, its name or its configuration; also that of projections
            which `quantize` has changed.

    Example:
        >>> unquantized("mixed_bfloat16"), unquantized("int8_from_float32")
        (('mixed_bfloat16', None), ('float32', 'int8_from_float32'))
    """
    policy = None if dtype is None else keras.dtype_policies.get(dtype)
    if not isinstance(policy, keras.dtype_policies.QuantizedDTypePolicy):
        return dtype, None
    return policy.name.rsplit("_from_", 1)[-1], dtype
