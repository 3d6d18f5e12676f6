"""The Jordan recurrent network: one step (`JordanCell`) and a whole sequence (`Jordan`)."""

from typing import Any

import keras
from keras import activations, initializers, ops

from keras_attn.functional.dense import dense
from keras_attn.recurrent.activations import ACTIVATIONS, NAMES, get_activation, in_loop
from keras_attn.recurrent.arguments import check_optional_size, check_size
from keras_attn.recurrent.jordan_loop import jordan_sequence, jordan_step
from keras_attn.recurrent.rnn import RNN
from keras_attn.recurrent.step_layer import StepLayer


@keras.saving.register_keras_serializable(package="keras_attn")
class JordanCell(StepLayer):
    """Cell of the Jordan recurrent network, which feeds back its output, not its hidden state.

    Source: Jordan 1986, section on sequential networks (state units fed by the output units).
    Formula: `h = activation(x W + y U + b)`, `y' = output_activation(h W_y + b_y)`

    Args:
        units: Size U of the hidden layer.
        output_units: Size V of the output. Defaults to `units`.
        activation: Activation of the hidden layer: a name or a function, as Keras's layers take it.
            The gradient of "tanh", "sigmoid", "relu", "linear" and "softmax" is written by hand.
        output_activation: Activation of the output, such as "softmax"; same choices.
        kernel_initializer: Initializer of the input kernel (D, U) and the output kernel (U, V).
        recurrent_initializer: Initializer of the recurrent kernel (V, U).
        bias_initializer: Initializer of the biases (U,) and (V,).

    Inputs: `x` (B, D) and the states [y (B, V)].
    Outputs: y' (B, V) and the new states [y'].

    Raises:
        ValueError: If `units` or `output_units` is not positive, or an activation is unknown.

    Example:
        >>> from keras import ops
        >>> from keras_attn import JordanCell
        >>> cell = JordanCell(5, output_units=2)
        >>> output, states = cell(ops.ones((3, 7)), cell.get_initial_state(3))
        >>> tuple(output.shape), len(states)
        ((3, 2), 1)
    """

    def __init__(
        self,
        units: int,
        output_units: int | None = None,
        activation: Any = "tanh",
        output_activation: Any = "tanh",
        kernel_initializer: Any = "glorot_uniform",
        recurrent_initializer: Any = "orthogonal",
        bias_initializer: Any = "zeros",
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.units = self.projected_size = check_size("units", units)
        self.output_units = check_optional_size("output_units", output_units) or self.units
        self.output_size = self.output_units
        self.state_size = [self.output_units]
        self.activation = get_activation(activation, "activation")
        self.output_activation = get_activation(output_activation, "output_activation")
        self.kernel_initializer = initializers.get(kernel_initializer)
        self.recurrent_initializer = initializers.get(recurrent_initializer)
        self.bias_initializer = initializers.get(bias_initializer)

    def build(self, input_shape: tuple) -> None:
        hidden, output = self.units, self.output_units
        self._features = input_shape[-1]
        self.kernel = self.add_weight(
            (input_shape[-1], hidden), self.kernel_initializer, name="kernel"
        )
        self.recurrent_kernel = self.add_weight(
            (output, hidden), self.recurrent_initializer, name="recurrent_kernel"
        )
        self.bias = self.add_weight((hidden,), self.bias_initializer, name="bias")
        self.output_kernel = self.add_weight(
            (hidden, output), self.kernel_initializer, name="output_kernel"
        )
        self.output_bias = self.add_weight((output,), self.bias_initializer, name="output_bias")

    def project_inputs(self, x: Any, training: bool | None = False) -> list:
        """Projects the inputs, before the loop: (..., D) to a list of one (..., U)."""
        return [dense(x, self.kernel, self.bias)]

    def loop_weights(self, rows: Any = None) -> dict[str, Any]:
        """Returns the weights that `recur` needs, read once and shared by all steps."""
        return {
            "kernel": ops.copy(self.recurrent_kernel),
            "output_kernel": ops.copy(self.output_kernel),
            "output_bias": ops.copy(self.output_bias),
        }

    @property
    def by_hand(self) -> bool:
        """Whether `sequence`, whose gradient is written by hand, computes what `recur` does."""
        both = self.activation, self.output_activation
        return all(NAMES.get(function) in ACTIVATIONS for function in both)

    def recur(
        self,
        projected: list,
        states: list,
        weights: dict[str, Any] | None = None,
        constants: Any = None,
        training: Any = None,
    ) -> tuple[Any, list]:
        """Runs one step from projected inputs; returns y' and the new states [y']."""
        weights = weights or self.loop_weights()
        functions = in_loop(self.activation), in_loop(self.output_activation)
        _, y = jordan_step(projected[0], states[0], activations=functions, **weights)
        return y, [y]

    def sequence(
        self, projected: list, states: list, mask: Any = None, truncate: int | None = None
    ) -> tuple[Any, list]:
        """Runs all steps on projected, time-major inputs; returns ys (T, B, V) and [y]."""
        ys, y = jordan_sequence(
            projected[0],
            states[0],
            activations=(NAMES[self.activation], NAMES[self.output_activation]),
            mask=mask,
            truncate=truncate,
            **self.loop_weights(),
        )
        return ys, [y]

    def call(self, inputs: Any, states: list, training: Any = None) -> tuple[Any, list]:
        return self.recur(self.project_inputs(self.cast(inputs)), self.cast(states))

    def get_initial_state(self, batch_size: Any = None) -> list:
        return [ops.zeros((batch_size, self.output_units), dtype=self.compute_dtype)]

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "units": self.units,
            "output_units": self.output_units,
            "activation": activations.serialize(self.activation),
            "output_activation": activations.serialize(self.output_activation),
            "kernel_initializer": initializers.serialize(self.kernel_initializer),
            "recurrent_initializer": initializers.serialize(self.recurrent_initializer),
            "bias_initializer": initializers.serialize(self.bias_initializer),
        }


@keras.saving.register_keras_serializable(package="keras_attn")
class Jordan(RNN):
    """Jordan recurrent network over a sequence: each step reads the previous output.

    The input products `x_t W` are computed as one matrix product before the loop. During training,
    a second, hand-written loop computes the gradient.

    Source: Jordan 1986; see `JordanCell`.
    Formula: `y_t = JordanCell(x_t, y_{t-1})`, t = 1 … T

    Args:
        units: Size U of the hidden layer.
        output_units: Size V of the output. Defaults to `units`.
        return_sequences: Whether to return the outputs of all steps instead of the last output
            only.
        return_state: Whether to return the last output also as the state.
        go_backwards: Whether to process the sequence in reverse; outputs are in reversed order.
        zero_output_for_mask: Whether masked steps output zeros instead of the previous output.
        truncate: Number of steps for truncated backpropagation through time; see `RNN`.
        unroll: Whether to unroll the loop; see `RNN`.
        activation: Activation of the hidden layer; see `JordanCell`.
        output_activation: Activation of the output; see `JordanCell`.
        kernel_initializer: Initializer of the input kernel (D, U) and the output kernel (U, V).
        recurrent_initializer: Initializer of the recurrent kernel (V, U).
        bias_initializer: Initializer of the biases (U,) and (V,).

    Inputs: `sequences` (B, T, D); `initial_state` [y (B, V)]; `mask` (B, T), True for valid steps.
    Outputs: (B, V), or (B, T, V) with `return_sequences`; with `return_state`, followed by y.

    Raises:
        ValueError: If `units`, `output_units` or `truncate` is not positive, or an activation is
            unknown.

    Example:
        >>> from keras import ops
        >>> from keras_attn import Jordan
        >>> layer = Jordan(5, output_units=2, return_sequences=True, return_state=True)
        >>> outputs, y = layer(ops.ones((2, 3, 7)))
        >>> tuple(outputs.shape), tuple(y.shape)
        ((2, 3, 2), (2, 2))
    """

    def __init__(
        self,
        units: int,
        output_units: int | None = None,
        return_sequences: bool = False,
        return_state: bool = False,
        go_backwards: bool = False,
        zero_output_for_mask: bool = False,
        truncate: int | None = None,
        unroll: bool = False,
        activation: Any = "tanh",
        output_activation: Any = "tanh",
        kernel_initializer: Any = "glorot_uniform",
        recurrent_initializer: Any = "orthogonal",
        bias_initializer: Any = "zeros",
        **kwargs: Any,
    ) -> None:
        cell = JordanCell(
            units,
            output_units=output_units,
            activation=activation,
            output_activation=output_activation,
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
            unroll=unroll,
            zero_output_for_mask=zero_output_for_mask,
            truncate=truncate,
            **kwargs,
        )

    def get_config(self) -> dict[str, Any]:
        config = super().get_config()
        del config["cell"]
        return {**self.cell.get_config(), **config}
