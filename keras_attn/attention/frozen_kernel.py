"""Kernels that are not trained, in 16 or 8 bits."""

import math
from typing import Any

import keras
import numpy as np
from keras import ops

from keras_attn.functional.dense import dense

FLOAT32, BFLOAT16, INT8 = "float32", "bfloat16", "int8"
FROZEN_DTYPES = (BFLOAT16, INT8)


def encoded(kernel: np.ndarray, dtype: str, input_axes: int) -> tuple[np.ndarray, np.ndarray]:
    """The values of a kernel in a smaller dtype, and the scale of each output.

    Source: Dettmers et al. 2022 (LLM.int8()), section 2, "absmax quantization", per column.
    Formula: `s[o] = max_i |W[i, o]| / 127`, `Q[i, o] = round(W[i, o] / s[o])`; with bfloat16, Q is
        W rounded to the nearest, to even, and `s = 1`

    Args:
        kernel: Kernel (*inputs, *outputs).
        dtype: "bfloat16", whose values are returned as their bits (uint16), or "int8".
        input_axes: Number of input axes.

    Returns:
        Q (*inputs, *outputs) and s (*outputs) in float32.

    Example:
        >>> values, scale = encoded(np.array([[3.0, 0.0], [-6.35, 0.0]]), "int8", 1)
        >>> values.tolist(), np.round(scale.astype("float64"), 4).tolist()
        ([[60, 0], [-127, 0]], [0.05, 1.0])
    """
    outputs = kernel.shape[input_axes:]
    if dtype == BFLOAT16:
        bits = np.ascontiguousarray(kernel, "float32").view("uint32")
        # Half of the last bit that is kept, and a little less where it is even.
        bits = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16
        return bits.astype("uint16"), np.ones(outputs, "float32")
    largest = np.abs(kernel).max(axis=tuple(range(input_axes)))
    scale = np.where(largest > 0, largest / 127, 1.0).astype("float32")
    return np.clip(np.rint(kernel / scale), -127, 127).astype("int8"), scale


def decoded(values: np.ndarray, scale: np.ndarray) -> np.ndarray:
    """The kernel, in float32, of what `encoded` returns.

    Example:
        >>> decoded(*encoded(np.array([[1.0], [-0.5]]), "bfloat16", 1)).tolist()
        [[1.0], [-0.5]]
    """
    if values.dtype == np.uint16:
        return (values.astype("uint32") << 16).view("float32")
    return values.astype("float32") * scale


@keras.saving.register_keras_serializable(package="keras_attn")
class FrozenKernel(keras.layers.Layer):
    """The product with a kernel in 16 or 8 bits, which is not trained.

    For the gradient of the input the kernel is decoded again, so that no decoded one is kept from
    the forward to the backward pass.

    Source: Dettmers et al. 2023 (QLoRA), section 3, eq. 5, with int8 or bfloat16 in place of NF4.
    Formula: `y[..., o] = s[o] sum_i x[..., i] Q[i, o]`

    Args:
        shape: Shape of the kernel (*inputs, *outputs).
        kernel_dtype: "bfloat16" or "int8".
        input_axes: Number of input axes.

    Inputs: `x` (..., *inputs). Weights: Q (*inputs, *outputs), and with int8 s (*outputs).
    Outputs: (..., *outputs).

    Raises:
        ValueError: If `kernel_dtype` is another.

    Example:
        >>> layer = FrozenKernel((3, 2), "int8")
        >>> layer.assign(np.array([[1.0, 0.5], [0.0, -0.5], [1.0, 0.0]]))
        >>> np.round(layer(ops.ones((1, 3))), 4).tolist()
        [[2.0, 0.0]]
    """

    def __init__(
        self, shape: tuple[int, ...], kernel_dtype: str, input_axes: int = 1, **kwargs: Any
    ) -> None:
        super().__init__(**{"trainable": False, **kwargs})
        if kernel_dtype not in FROZEN_DTYPES:
            choices = ", ".join(FROZEN_DTYPES)
            raise ValueError(f"kernel_dtype must be one of {choices}; received {kernel_dtype!r}.")
        self.shape, self.kernel_dtype, self.input_axes = tuple(shape), kernel_dtype, input_axes
        options: dict[str, Any] = {"trainable": False, "autocast": False}
        self.values = self.add_weight(
            self.shape, "zeros", dtype=kernel_dtype, name="values", **options
        )
        self.scale = None
        if kernel_dtype == INT8:
            self.scale = self.add_weight(
                self.shape[input_axes:], "ones", dtype=FLOAT32, name="scale", **options
            )
        self.built = True

    def assign(self, kernel: np.ndarray) -> None:
        """Takes the values of a kernel (*inputs, *outputs), rounded."""
        values, scale = encoded(kernel, self.kernel_dtype, self.input_axes)
        if self.scale is None:
            self.values.assign(ops.cast(decoded(values, scale), BFLOAT16))
            return
        self.values.assign(values)
        self.scale.assign(scale)

    def kernel(self) -> np.ndarray:
        """The kernel (*inputs, *outputs) that the product is with, in float32."""
        values = ops.convert_to_numpy(self.values).astype("float32")
        return values if self.scale is None else values * ops.convert_to_numpy(self.scale)

    def call(self, x: Any) -> Any:
        axes, inputs = self.input_axes, math.prod(self.shape[: self.input_axes])

        @ops.custom_gradient
        def product(x: Any, values: Any) -> Any:
            def gradient(*upstreams: Any, upstream: Any = None) -> tuple[Any, None]:
                # PyTorch passes it by name, after the inputs.
                upstream = upstreams[0] if upstream is None else upstream
                kernel = ops.reshape(_cast_after(upstream, values), (inputs, -1))
                outputs_first = (*self.shape[axes:], *self.shape[:axes])
                kernel = ops.reshape(ops.transpose(kernel), outputs_first)
                return dense(upstream, kernel, input_axes=len(self.shape) - axes), None

            return dense(x, _cast_after(x, values), input_axes=axes), gradient

        y = product(x, ops.convert_to_tensor(self.values))
        return y if self.scale is None else y * ops.cast(self.scale, y.dtype)

    def compute_output_shape(self, x_shape: tuple) -> tuple:
        return (*x_shape[: -self.input_axes], *self.shape[self.input_axes :])

    def save_own_variables(self, store: Any) -> None:
        values = ops.convert_to_numpy(self.values)
        # HDF5 has no bfloat16: its bits.
        store["values"] = values if self.scale is not None else values.view("uint16")
        if self.scale is not None:
            store["scale"] = ops.convert_to_numpy(self.scale)

    def load_own_variables(self, store: Any) -> None:
        values = np.asarray(store["values"])
        expected = "uint16" if self.scale is None else "int8"
        if values.shape != self.shape or values.dtype != expected:
            raise ValueError(
                f"the kernel of {self.path} is {values.dtype} {values.shape}, expected {expected} "
                f"{self.shape}"
            )
        if self.scale is None:
            self.values.assign(ops.cast(decoded(values, np.ones(())), BFLOAT16))
            return
        self.values.assign(values)
        self.scale.assign(np.asarray(store["scale"]))

    def get_config(self) -> dict[str, Any]:
        own = {"shape": self.shape, "kernel_dtype": self.kernel_dtype}
        return {**super().get_config(), **own, "input_axes": self.input_axes}


def _cast_after(x: Any, values: Any) -> Any:
    """Casts values to the dtype of a tensor, no sooner than there is the tensor.

    TensorFlow would cast the kernels of all layers at once, and XLA keep them for the gradients.

    Formula: `values + 0`, 0 being whether the first value of x is NaN
    """
    first = ops.reshape(x, (-1,))[:1]
    zero = ops.cast(ops.not_equal(first, first), values.dtype)
    return ops.cast(values + ops.reshape(zero, ()), x.dtype)
