"""The simple (Elman) recurrent network: one step (`ElmanCell`) and a whole sequence (`Elman`)."""

from typing import Any

import keras
from keras import initializers, ops

from keras_attn.functional.dense import dense
from keras_attn.recurrent.activations import check_activation
from keras_attn.recurrent.elman_loop import elman_sequence, elman_step
from keras_attn.recurrent.rnn import RNN


@keras.saving.register_keras_serializable(package="keras_attn")
class ElmanCell(keras.layers.Layer):
    """Cell of the simple (Elman) recurrent network: one step.

    Source: Elman 1990, figure 2.
    Formula: `h' = activation(x W + h U + b)`

    Args:
        units: Size U of the hidden state.
        activation: One of "tanh", "sigmoid", "relu" and "linear".
        kernel_initializer: Initializer of the input kernel W (D, U).
        recurrent_initializer: Initializer of the recurrent kernel (U, U).
        bias_initializer: Initializer of the bias b (U,).

    Inputs: `x` (B, D) and the states [h (B, U)].
    Outputs: h' (B, U) and the new states [h'].

    Raises:
        ValueError: If `units` is not positive, or `activation` is unknown.

    Example:
        >>> cell = ElmanCell(5, activation="relu")
        >>> output, states = cell(ops.ones((3, 7)), cell.get_initial_state(3))
        >>> tuple(output.shape), len(states)
        ((3, 5), 1)
    """

    own_activations: tuple[str, ...] = ()  # in addition to those of every cell

    def __init__(
        self,
        units: int,
        activation: str = "tanh",
        kernel_initializer: Any = "glorot_uniform",
        recurrent_initializer: Any = "orthogonal",
        bias_initializer: Any = "zeros",
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        if units < 1:
            raise ValueError(f"units must be a positive integer; received {units}.")
        self.units = self.output_size = self.projected_size = units
        self.state_size = [units]
        self.activation = check_activation(activation, "activation", *self.own_activations)
        self.kernel_initializer = initializers.get(kernel_initializer)
        self.recurrent_initializer = initializers.get(recurrent_initializer)
        self.bias_initializer = initializers.get(bias_initializer)

    def build(self, input_shape: tuple) -> None:
        self.kernel = self.add_weight(
            (input_shape[-1], self.units), self.kernel_initializer, name="kernel"
        )
        self.recurrent_kernel = self.add_weight(
            (self.units, self.units), self.recurrent_initializer, name="recurrent_kernel"
        )
        self.bias = self.add_weight((self.units,), self.bias_initializer, name="bias")

    def project_inputs(self, x: Any) -> list:
        """Projects the inputs, before the loop: (..., D) to a list of one (..., U)."""
        return [dense(x, self.kernel, self.bias)]

    def loop_weights(self) -> dict[str, Any]:
        """Returns the weights that `recur` needs, read once and shared by all steps."""
        return {"kernel": ops.copy(self.recurrent_kernel)}

    def recur(
        self,
        projected: list,
        states: list,
        weights: dict[str, Any] | None = None,
        constants: Any = None,
        training: Any = None,
    ) -> tuple[Any, list]:
        """Runs one step from projected inputs; returns h' and the new states [h']."""
        weights = weights or self.loop_weights()
        h = elman_step(projected[0], h=states[0], activation=self.activation, **weights)
        return h, [h]

    def sequence(
        self, projected: list, states: list, mask: Any = None, truncate: int | None = None
    ) -> tuple[Any, list]:
        """Runs all steps on projected, time-major inputs; returns hs (T, B, U) and [h]."""
        hs, h = elman_sequence(
            projected[0],
            h=states[0],
            activation=self.activation,
            mask=mask,
            truncate=truncate,
            **self.loop_weights(),
        )
        return hs, [h]

    def call(self, inputs: Any, states: list, training: Any = None) -> tuple[Any, list]:
        return self.recur(self.project_inputs(inputs), states)

    def get_initial_state(self, batch_size: Any = None) -> list:
        return [ops.zeros((batch_size, self.units), dtype=self.compute_dtype)]

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "units": self.units,
            "activation": self.activation,
            "kernel_initializer": initializers.serialize(self.kernel_initializer),
            "recurrent_initializer": initializers.serialize(self.recurrent_initializer),
            "bias_initializer": initializers.serialize(self.bias_initializer),
        }


@keras.saving.register_keras_serializable(package="keras_attn")
class Elman(RNN):
    """Simple (Elman) recurrent network over a sequence.

    Its weights are compatible with those of `keras.layers.SimpleRNN`. The input products `x_t W`
    are computed as one matrix product before the loop. During training, a second, hand-written loop
    computes the gradient.

    Source: Elman 1990; see `ElmanCell`.
    Formula: `h_t = ElmanCell(x_t, h_{t-1})`, t = 1 … T

    Args:
        units: Size U of the hidden state.
        return_sequences: Whether to return the outputs of all steps instead of the last output
            only.
        return_state: Whether to return the final state in addition to the output.
        go_backwards: Whether to process the sequence in reverse; outputs are in reversed order.
        zero_output_for_mask: Whether masked steps output zeros instead of the previous output.
        truncate: Number of steps for truncated backpropagation through time; see `RNN`.
        unroll: Whether to unroll the loop; see `RNN`.
        activation: Activation function; see `ElmanCell`.
        kernel_initializer: Initializer of the input kernel (D, U).
        recurrent_initializer: Initializer of the recurrent kernel (U, U).
        bias_initializer: Initializer of the bias (U,).

    Inputs: `sequence` (B, T, D); `initial_state` [h (B, U)]; `mask` (B, T), True for valid steps.
    Outputs: (B, U), or (B, T, U) with `return_sequences`; with `return_state`, followed by h.

    Raises:
        ValueError: If `units` or `truncate` is not positive, or `activation` is unknown.

    Example:
        >>> layer = Elman(5, return_sequences=True, return_state=True)
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
        activation: str = "tanh",
        kernel_initializer: Any = "glorot_uniform",
        recurrent_initializer: Any = "orthogonal",
        bias_initializer: Any = "zeros",
        **kwargs: Any,
    ) -> None:
        cell = ElmanCell(
            units,
            activation=activation,
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
