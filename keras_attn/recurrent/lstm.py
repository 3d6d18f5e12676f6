"""Long short-term memory (LSTM): one step (`LSTMCell`) and a whole sequence (`LSTM`)."""

from typing import Any

import keras
from keras import initializers, ops

from keras_attn.recurrent.gates import project
from keras_attn.recurrent.lstm_loop import lstm_sequence, lstm_step
from keras_attn.recurrent.rnn import RNN


@keras.saving.register_keras_serializable(package="keras_attn")
class LSTMCell(keras.layers.Layer):
    """Cell of the long short-term memory (LSTM): one step.

    Source: Hochreiter & Schmidhuber 1997; forget gate: Gers et al. 2000; initial forget bias of 1:
        Jozefowicz et al. 2015.
    Formula: `i = σ(x W_i + h U_i + b_i)`, f and o likewise, `g = tanh(x W_g + h U_g + b_g)`,
        `c' = f c + i g`, `h' = o tanh(c')`

    Args:
        units: Size U of the hidden state h and of the cell state c.
        kernel_initializer: Initializer of the input kernel (D, 4U), gates in the order i, f, g, o.
        recurrent_initializer: Initializer of the recurrent kernel (U, 4U).
        bias_initializer: Initializer of the bias (4U,).
        unit_forget_bias: Whether to initialize the bias of the forget gate to 1.

    Inputs: `x` (B, D) and the states [h (B, U), c (B, U)].
    Outputs: h' (B, U) and the new states [h', c'].

    Raises:
        ValueError: If `units` is not positive.

    Example:
        >>> cell = LSTMCell(5)
        >>> output, states = cell(ops.ones((3, 7)), cell.get_initial_state(3))
        >>> tuple(output.shape), len(states)
        ((3, 5), 2)
    """

    def __init__(
        self,
        units: int,
        kernel_initializer: Any = "glorot_uniform",
        recurrent_initializer: Any = "orthogonal",
        bias_initializer: Any = "zeros",
        unit_forget_bias: bool = True,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        if units < 1:
            raise ValueError(f"units must be a positive integer; received {units}.")
        self.units = self.output_size = units
        self.state_size = [units, units]
        self.projected_size = 4 * units
        self.kernel_initializer = initializers.get(kernel_initializer)
        self.recurrent_initializer = initializers.get(recurrent_initializer)
        self.bias_initializer = initializers.get(bias_initializer)
        self.unit_forget_bias = unit_forget_bias

    def build(self, input_shape: tuple) -> None:
        width = 4 * self.units
        self.kernel = self.add_weight(
            (input_shape[-1], width), self.kernel_initializer, name="kernel"
        )
        self.recurrent_kernel = self.add_weight(
            (self.units, width), self.recurrent_initializer, name="recurrent_kernel"
        )
        self.bias = self.add_weight((width,), self._first_bias, name="bias")

    def _first_bias(self, shape: tuple, dtype: Any = None) -> Any:
        if not self.unit_forget_bias:
            return self.bias_initializer(shape, dtype=dtype)
        input_gate, rest = (self.bias_initializer((n * self.units,), dtype=dtype) for n in (1, 2))
        return ops.concatenate([input_gate, ops.ones((self.units,), dtype=dtype), rest])

    def project_inputs(self, x: Any) -> list:
        """Projects the inputs, before the loop: (..., D) to a list of four (..., U)."""
        return project(x, self.kernel, self.bias, gates=4)

    def loop_weights(self) -> list:
        """Returns the weights that `recur` needs, read once and shared by all steps."""
        return ops.split(ops.copy(self.recurrent_kernel), 4, axis=-1)

    def recur(
        self,
        projected: list,
        states: list,
        weights: list | None = None,
        constants: Any = None,
        training: Any = None,
    ) -> tuple[Any, list]:
        """Runs one step from projected inputs; returns h' and the new states [h', c']."""
        h, c = states
        if weights is None:
            products = ops.split(ops.matmul(h, self.recurrent_kernel), 4, axis=-1)
        else:
            products = [ops.matmul(h, kernel) for kernel in weights]
        h, c, _ = lstm_step([sum(pair) for pair in zip(projected, products, strict=True)], c)
        return h, [h, c]

    def sequence(
        self, projected: list, states: list, mask: Any = None, truncate: int | None = None
    ) -> tuple[Any, list]:
        """Runs all steps on projected, time-major inputs; returns hs (T, B, U) and [h, c]."""
        kernel, (h, c) = ops.copy(self.recurrent_kernel), states
        hs, *states = lstm_sequence(projected, kernel, h, c, mask, truncate)
        return hs, states

    def call(self, inputs: Any, states: list, training: Any = None) -> tuple[Any, list]:
        return self.recur(self.project_inputs(inputs), states)

    def get_initial_state(self, batch_size: Any = None) -> list:
        return [ops.zeros((batch_size, n), dtype=self.compute_dtype) for n in self.state_size]

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "units": self.units,
            "kernel_initializer": initializers.serialize(self.kernel_initializer),
            "recurrent_initializer": initializers.serialize(self.recurrent_initializer),
            "bias_initializer": initializers.serialize(self.bias_initializer),
            "unit_forget_bias": self.unit_forget_bias,
        }


@keras.saving.register_keras_serializable(package="keras_attn")
class LSTM(RNN):
    """Long short-term memory (LSTM) over a sequence.

    Its weights are compatible with those of `keras.layers.LSTM`. The input products `x_t W` are
    computed as one matrix product before the loop. During training, a second, hand-written loop
    computes the gradient.

    Source: Hochreiter & Schmidhuber 1997; see `LSTMCell`.
    Formula: `h_t, c_t = LSTMCell(x_t, h_{t-1}, c_{t-1})`, t = 1 … T

    Args:
        units: Size U of the hidden state h and of the cell state c.
        return_sequences: Whether to return the outputs of all steps instead of the last output
            only.
        return_state: Whether to return the final states in addition to the output.
        go_backwards: Whether to process the sequence in reverse; outputs are in reversed order.
        zero_output_for_mask: Whether masked steps output zeros instead of the previous output.
        truncate: Number of steps for truncated backpropagation through time; see `RNN`.
        unroll: Whether to unroll the loop; see `RNN`.
        kernel_initializer: Initializer of the input kernel (D, 4U), gates in the order i, f, g, o.
        recurrent_initializer: Initializer of the recurrent kernel (U, 4U).
        bias_initializer: Initializer of the bias (4U,).
        unit_forget_bias: Whether to initialize the bias of the forget gate to 1.

    Inputs: `sequence` (B, T, D); `initial_state` [h (B, U), c (B, U)]; `mask` (B, T), True for
        valid steps.
    Outputs: (B, U), or (B, T, U) with `return_sequences`; with `return_state`, followed by h and c.

    Raises:
        ValueError: If `units` or `truncate` is not positive.

    Example:
        >>> layer = LSTM(5, return_sequences=True, return_state=True)
        >>> outputs, h, c = layer(ops.ones((2, 3, 7)))
        >>> tuple(outputs.shape), tuple(h.shape), tuple(c.shape)
        ((2, 3, 5), (2, 5), (2, 5))
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
        kernel_initializer: Any = "glorot_uniform",
        recurrent_initializer: Any = "orthogonal",
        bias_initializer: Any = "zeros",
        unit_forget_bias: bool = True,
        **kwargs: Any,
    ) -> None:
        cell = LSTMCell(
            units,
            kernel_initializer=kernel_initializer,
            recurrent_initializer=recurrent_initializer,
            bias_initializer=bias_initializer,
            unit_forget_bias=unit_forget_bias,
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
