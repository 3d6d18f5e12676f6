"""Dense projections into and out of attention heads."""

import math
import string
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import keras
import numpy as np
from keras import ops

from keras_attn.attention.frozen_kernel import FLOAT32, FrozenKernel, decoded, encoded
from keras_attn.attention.low_rank import LowRankUpdate
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
        self._updates: list[LowRankUpdate] = []
        self._frozen: FrozenKernel | None = None
        self._kernel: Any = None

    def build(self, x_shape: tuple) -> None:
        # Keras cannot quantize equations with an ellipsis.
        leading = len(x_shape) - self.input_axes
        self.equation: str = self.equation.replace("...", string.ascii_lowercase[-leading:])
        self.partial_output_shape = (*[None] * (leading - 1), *self.outputs)
        super().build(x_shape)
        sizes = enumerate(x_shape[-self.input_axes :], start=-self.input_axes)
        self.input_spec = keras.layers.InputSpec(axes=dict(sizes))

    def call(self, x: Any, training: bool | None = None) -> Any:
        if self._frozen is None:
            y = dense(x, self.kernel, self.bias, self.input_axes)
        else:
            y = self._frozen(x)
            y = y if self.bias is None else y + self.bias
        for update in self._updates:
            y = y + update(x)
        return self.activation(y)

    @property
    def updates(self) -> list[LowRankUpdate]:
        """The low-rank updates, which are added to the product with the kernel."""
        return list(self._updates)

    @property
    def frozen_dtype(self) -> str:
        """The dtype of a kernel that `freeze_kernel` replaced; "float32" otherwise."""
        return FLOAT32 if self._frozen is None else self._frozen.kernel_dtype

    @property
    def kernel_shape(self) -> tuple[int, ...]:
        """The shape of the kernel (*inputs, *outputs)."""
        return tuple(self._kernel.shape) if self._frozen is None else self._frozen.shape

    @property
    def kernel_weights(self) -> list[keras.Variable]:
        """The variables of the kernel."""
        return [self._kernel] if self._frozen is None else self._frozen.weights

    def rounded_kernel(self, dtype: str) -> np.ndarray:
        """The kernel in float32, after `freeze_kernel`, whether it was called or not."""
        if self._frozen is not None:
            return self._frozen.kernel()
        kernel = np.array(ops.convert_to_numpy(self._kernel), FLOAT32)
        return kernel if dtype == FLOAT32 else decoded(*encoded(kernel, dtype, self.input_axes))

    def freeze_kernel(self, dtype: str) -> None:
        """Replaces the kernel by one in 16 or 8 bits, which is not trained.

        Args:
            dtype: "bfloat16" or "int8"; see `FrozenKernel`.
        """
        frozen = FrozenKernel(
            self.kernel_shape, dtype, self.input_axes, dtype=self.dtype_policy, name="frozen"
        )
        frozen.assign(ops.convert_to_numpy(self._kernel))
        self._untrack_variable(self._kernel)
        self._tracker.unlock()
        # TensorFlow refers to the kernel before until the attribute is another variable.
        self._kernel, self._frozen = frozen.values, frozen
        self._tracker.lock()

    def melt_kernel(self) -> None:
        """Replaces a frozen kernel by one in the dtype of the layer, with the same values."""
        if self._frozen is None:
            return
        frozen = self._frozen
        self._untrack_variable(self._kernel)
        self._tracker.unlock()
        self._tracker.untrack(frozen)
        self._frozen = None
        self._kernel = self.add_weight(frozen.shape, "zeros", name="kernel")
        self._kernel.assign(frozen.kernel())
        self._trainable_variables.insert(0, self._trainable_variables.pop())  # before the bias
        self._kernel.trainable = False
        self._tracker.lock()

    def add_update(
        self,
        name: str,
        rank: int,
        alpha: float,
        part: tuple[int, int] = (0, 1),
        seed: int | None = None,
    ) -> LowRankUpdate:
        """Adds a low-rank update, which changes no output until it is trained.

        Args:
            name: Name of its layer.
            rank: See `LowRankUpdate`.
            alpha: See `LowRankUpdate`.
            part: See `LowRankUpdate`.
            seed: See `LowRankUpdate`.

        Returns:
            The update.
        """
        update = LowRankUpdate(
            rank,
            alpha,
            self.outputs,
            self.input_axes,
            part,
            seed,
            dtype=self.dtype_policy,
            name=name,
        )
        update.build((None, *self.kernel_shape[: self.input_axes]))
        self._append(update)
        return update

    def update_shapes(self, rank: int, part: tuple[int, int]) -> tuple[tuple[int, int], ...]:
        """The shapes of the two matrices of an update."""
        inputs = math.prod(self.kernel_shape[: self.input_axes])
        return (inputs, rank), (rank, math.prod(self.outputs) // part[1])

    def remove_updates(self) -> None:
        """Removes all updates, so that the outputs are those of the kernel alone."""
        self._updates.clear()

    def merge_updates(self) -> "Separate":
        """Adds all updates to the kernel, in float64, and removes them; a frozen kernel melts.

        Returns:
            What `restore_updates` takes.
        """
        dtype = self.frozen_dtype
        self.melt_kernel()
        kernel = np.array(ops.convert_to_numpy(self.kernel))
        scales = [np.array(ops.convert_to_numpy(update.b)) for update in self._updates]
        before = Separate(kernel, self.updates, scales, dtype)
        merged = kernel.astype("float64")
        for update in self._updates:
            merged += update.change()
            update.b.assign(ops.zeros(update.b.shape, update.b.dtype))  # for traced functions
        self.kernel.assign(merged.astype(kernel.dtype))
        self._updates.clear()
        return before

    def restore_updates(self, before: "Separate") -> None:
        """Undoes `merge_updates`."""
        self.kernel.assign(before.kernel)
        if before.dtype != FLOAT32:
            self.freeze_kernel(before.dtype)
        for update, b in zip(before.updates, before.scales, strict=True):
            update.b.assign(b)
            self._append(update)

    def _append(self, update: LowRankUpdate) -> None:
        # As Keras's `enable_lora` does: a layer that is built takes no other layers.
        self._tracker.unlock()
        self._updates.append(update)
        self._tracker.lock()

    def compute_output_shape(self, x_shape: tuple) -> tuple:
        return (*x_shape[: -self.input_axes], *self.outputs)

    def save_own_variables(self, store: Any) -> None:
        if self._frozen is None:
            super().save_own_variables(store)
        elif self.bias is not None:
            store["bias"] = self.bias

    def load_own_variables(self, store: Any) -> None:
        if self._frozen is None:
            super().load_own_variables(store)
        elif self.bias is not None:
            self.bias.assign(store["bias"])

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


@dataclass(frozen=True)
class Separate:
    """A kernel and the updates that are not merged into it.

    Args:
        kernel: The values of the kernel.
        updates: The updates.
        scales: The values of the second matrix of each update.
        dtype: The dtype of the kernel if it was frozen; "float32" otherwise.
    """

    kernel: np.ndarray
    updates: list[LowRankUpdate]
    scales: list[np.ndarray]
    dtype: str = FLOAT32


@dataclass(frozen=True)
class Updatable:
    """A projection, or a part of one, that a low-rank update can change.

    Args:
        projection: The projection.
        part: The index of the part of its outputs, and the number of equal parts.
    """

    projection: Projection
    part: tuple[int, int] = (0, 1)


@runtime_checkable
class HasUpdatable(Protocol):
    """A layer with projections that low-rank updates can change."""

    path: str

    @property
    def updatable(self) -> dict[str, Updatable]:
        """The projections by their usual names, such as "q_proj" or "down_proj"."""


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


def dtype_of(projection: Projection | None, given: Any) -> dict[str, Any]:
    """Returns the entry of a configuration with the policy of a layer and of its projections.

    The layer gives it to `unquantized` when it is loaded, so that it creates quantized projections
    for the weights of quantized ones.

    Args:
        projection: A projection of the layer; None before it is built.
        given: The policy of the projections that `unquantized` returned.

    Example:
        >>> dtype_of(Projection((7,), name="query"), None)["dtype"]["config"]
        {'name': 'float32'}
        >>> dtype_of(None, "int8_from_float32"), dtype_of(None, None)
        ({'dtype': 'int8_from_float32'}, {})
    """
    if projection is not None:
        return {"dtype": keras.dtype_policies.serialize(projection.dtype_policy)}
    return {} if given is None else {"dtype": given}
