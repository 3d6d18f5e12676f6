"""Gated recurrent unit (GRU): one step (`GRUCell`) and a whole sequence (`GRU`)."""

from typing import Any

import keras
from keras import initializers, ops

from keras_attn.recurrent.gates import project
from keras_attn.recurrent.gru_loop import gru_sequence, gru_step
from keras_attn.recurrent.rnn import RNN


@keras.saving.register_keras_serializable(package="keras_attn")
class GRUCell(keras.layers.Layer):
    """Cell of the gated recurrent unit (GRU): one step.

    Source: Cho et al. 2014, equations 5 to 8 (reset gate before the matrix product); `reset_after`
        as in NVIDIA's cuDNN.
    Formula: `z = σ(x W_z + h U_z + b_z)`, `r = σ(x W_r + h U_r + b_r)`,
        `h̃ = tanh(x W_h + (r h) U_h + b_h)`, or with `reset_after`
        `h̃ = tanh(x W_h + b_h + r (h U_h + b'_h))`; `h' = z h + (1 - z) h̃`

    Args:
        units: Size U of the hidden state.
        reset_after: Whether to apply the reset gate after the recurrent matrix product instead of
            before it. `keras.layers.GRU` applies it after by default.
        kernel_initializer: Initializer of the input kernel (D, 3U), gates in the order z, r, h.
        recurrent_initializer: Initializer of the recurrent kernel (U, 3U).
        bias_initializer: Initializer of the bias (3U,), or (2, 3U) with `reset_after`: an input
            bias and a recurrent bias.

    Inputs: `x` (B, D) and the states [h (B, U)].
    Outputs: h' (B, U) and the new states [h'].

    Raises:
        ValueError: If `units` is not positive.

    Example:
        >>> cell = GRUCell(5)
        >>> output, states = cell(ops.ones((3, 7)), cell.get_initial_state(3))
        >>> tuple(output.shape), len(states)
        ((3, 5), 1)
    """

    def __init__(
        self,
        units: int,
        reset_after: bool = False,
        kernel_initializer: Any = "glorot_uniform",
        recurrent_initializer: Any = "orthogonal",
        bias_initializer: Any = "zeros",
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        if units < 1:
            raise ValueError(f"units must be a positive integer; received {units}.")
        self.units = self.output_size = units
        self.state_size = [units]
        self.projected_size = 3 * units
        self.reset_after = reset_after
        self.kernel_initializer = initializers.get(kernel_initializer)
        self.recurrent_initializer = initializers.get(recurrent_initializer)
        self.bias_initializer = initializers.get(bias_initializer)

    def build(self, input_shape: tuple) -> None:
        width = 3 * self.units
        self.kernel = self.add_weight(
            (input_shape[-1], width), self.kernel_initializer, name="kernel"
        )
        self.recurrent_kernel = self.add_weight(
            (self.units, width), self.recurrent_initializer, name="recurrent_kernel"
        )
        bias_shape = (2, width) if self.reset_after else (width,)
        self.bias = self.add_weight(bias_shape, self.bias_initializer, name="bias")

    def project_inputs(self, x: Any) -> list:
        """Projects the inputs, before the loop: (..., D) to a list of three (..., U)."""
        return project(x, self.kernel, self._biases()[0], gates=3)

    def _biases(self) -> tuple[Any, Any]:
        """Returns the bias outside the loop (3U,) and the candidate's inside it, (U,) or None."""
        if not self.reset_after:
            return self.bias, None
        bias, recurrent = self.bias[0], self.bias[1]
        gates, candidate = recurrent[: 2 * self.units], recurrent[2 * self.units :]
        return bias + ops.concatenate([gates, ops.zeros_like(candidate)], axis=0), candidate

    def loop_weights(self) -> dict[str, Any]:
        """Returns the weights that `recur` needs, read once and shared by all steps."""
        kernels = ops.split(ops.copy(self.recurrent_kernel), 3, axis=-1)
        return {"kernels": kernels, "reset_bias": self._biases()[1]}

    def recur(
        self,
        projected: list,
        states: list,
        weights: dict[str, Any] | None = None,
        constants: Any = None,
        training: Any = None,
    ) -> tuple[Any, list]:
        """Runs one step from projected inputs; returns h' and the new states [h']."""
        h, _ = gru_step(projected, *states, **(weights or self.loop_weights()))
        return h, [h]

    def sequence(
        self, projected: list, states: list, mask: Any = None, truncate: int | None = None
    ) -> tuple[Any, list]:
        """Runs all steps on projected, time-major inputs; returns hs (T, B, U) and [h]."""
        kernel, (h,) = ops.copy(self.recurrent_kernel), states
        hs, h = gru_sequence(projected, kernel, h, mask, self._biases()[1], truncate)
        return hs, [h]

    def call(self, inputs: Any, states: list, training: Any = None) -> tuple[Any, list]:
        return self.recur(self.project_inputs(inputs), states)

    def get_initial_state(self, batch_size: Any = None) -> list:
        return [ops.zeros((batch_size, self.units), dtype=self.compute_dtype)]

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "units": self.units,
            "reset_after": self.reset_after,
            "kernel_initializer": initializers.serialize(self.kernel_initializer),
            "recurrent_initializer": initializers.serialize(self.recurrent_initializer),
            "bias_initializer": initializers.serialize(self.bias_initializer),
        }


@keras.saving.register_keras_serializable(package="keras_attn")
class GRU(RNN):
    """Gated recurrent unit (GRU) over a sequence.

    Its weights are compatible with those of `keras.layers.GRU`. The input products `x_t W` are
    computed as one matrix product before the loop. During training, a second, hand-written loop
    computes the gradient.

    Source: Cho et al. 2014; see `GRUCell`.
    Formula: `h_t = GRUCell(x_t, h_{t-1})`, t = 1 … T

    Args:
        units: Size U of the hidden state.
        return_sequences: Whether to return the outputs of all steps instead of the last output
            only.
        return_state: Whether to return the final state in addition to the output.
        go_backwards: Whether to process the sequence in reverse; outputs are in reversed order.
        zero_output_for_mask: Whether masked steps output zeros instead of the previous output.
        truncate: Number of steps for truncated backpropagation through time; see `RNN`.
        unroll: Whether to unroll the loop; see `RNN`.
        reset_after: Whether to apply the reset gate after the recurrent matrix product instead of
            before it. `keras.layers.GRU` applies it after by default.
        kernel_initializer: Initializer of the input kernel (D, 3U), gates in the order z, r, h.
        recurrent_initializer: Initializer of the recurrent kernel (U, 3U).
        bias_initializer: Initializer of the bias (3U,), or (2, 3U) with `reset_after`.

    Inputs: `sequence` (B, T, D); `initial_state` [h (B, U)]; `mask` (B, T), True for valid steps.
    Outputs: (B, U), or (B, T, U) with `return_sequences`; with `return_state`, followed by h.

    Raises:
        ValueError: If `units` or `truncate` is not positive.

    Example:
        >>> layer = GRU(5, return_sequences=True, return_state=True)
        >>> outputs, h = layer(ops.ones((2, 3, 7)))
        >>> tuple(outputs.shape), tuple(h.shape)
        ((2, 3, 5), (2, 5))
    """

    def __init__(
        self,
        units: int,
        return_sequences: bool = False,
        return_state: bool = False,
        go_backwards: bool = False,
        zero_output_for_mask: bool = False,
        truncate: int | None = None,
        unroll: bool = False,
        reset_after: bool = False,
        kernel_initializer: Any = "glorot_uniform",
        recurrent_initializer: Any = "orthogonal",
        bias_initializer: Any = "zeros",
        **kwargs: Any,
    ) -> None:
        cell = GRUCell(
            units,
            reset_after=reset_after,
            kernel_initializer=kernel_initializer,
            recurrent_initializer=recurrent_initializer,
            bias_initializer=bias_initializer,
            dtype=kwargs.get("dtype"),
        )
        super().__init__(
            cell,
            return_sequences,
            return_state,
            go_backwards,
            zero_output_for_mask,
            truncate,
            unroll,
            **kwargs,
        )

    def get_config(self) -> dict[str, Any]:
        config = super().get_config()
        del config["cell"]
        return {**self.cell.get_config(), **config}
