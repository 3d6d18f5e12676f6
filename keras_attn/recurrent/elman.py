"""Simple (Elman) recurrent network over a sequence."""

from typing import Any

import keras

from keras_attn.recurrent.cell_layer import CellLayer, cell_options
from keras_attn.recurrent.elman_cell import ElmanCell


@keras.saving.register_keras_serializable(package="keras_attn")
class Elman(CellLayer):
    """Simple (Elman) recurrent network over a sequence.

    It takes the arguments and the weights of `keras.layers.SimpleRNN`; for its `.weights.h5` files,
    use the same layer by the name `SimpleRNN`. The input products `x_t W` are computed as
    one matrix product before the loop. During training, a second, hand-written loop computes the
    gradient.

    Source: Elman 1990; see `ElmanCell`.
    Formula: `h_t = ElmanCell(x_t, h_{t-1})`, t = 1 … T

    Args:
        units: Size U of the hidden state.
        activation: Activation of Keras, or a function. With another than "tanh", "sigmoid", "relu"
            and "linear", the gradient is computed automatically, which takes longer.
        use_bias: Whether there is a bias.
        kernel_initializer: Initializer of the input kernel (D, U).
        recurrent_initializer: Initializer of the recurrent kernel (U, U).
        bias_initializer: Initializer of the bias (U,).
        kernel_regularizer, recurrent_regularizer, bias_regularizer: Regularizers of the weights.
        activity_regularizer: Regularizer of the outputs.
        kernel_constraint, recurrent_constraint, bias_constraint: Constraints of the weights.
        dropout: Dropout rate of the inputs during training: one mask per sequence, for all steps.
        recurrent_dropout: Dropout rate of h during training, in its products with the kernel: one
            mask per sequence, for all steps. The gradient is then computed automatically, which
            takes longer.
        seed: Random seed of dropout.
        return_sequences: Whether to return the outputs of all steps instead of the last output
            only.
        return_state: Whether to return the final state in addition to the output.
        go_backwards: Whether to process the sequence in reverse; outputs are in reversed order.
        stateful: Whether a batch starts from the last state of the previous batch; see `RNN`.
        unroll: Whether to unroll the loop; see `RNN`.
        zero_output_for_mask: Whether masked steps output zeros instead of the previous output.
        truncate: Number of steps for truncated backpropagation through time; see `RNN`.

    Inputs: `sequences` (B, T, D); `initial_state` [h (B, U)]; `mask` (B, T), True for valid steps.
    Outputs: (B, U), or (B, T, U) with `return_sequences`; with `return_state`, followed by h.

    Raises:
        ValueError: If `units` or `truncate` is not a positive integer, a dropout rate is not in
            [0, 1), an activation is unknown, or the sequences, the mask or the states have the
            wrong shape.

    Example:
        >>> from keras_attn import Elman
        >>> from keras import ops
        >>> layer = Elman(5, return_sequences=True, return_state=True)
        >>> outputs, h = layer(ops.ones((2, 3, 7)))
        >>> tuple(outputs.shape), tuple(h.shape)
        ((2, 3, 5), (2, 5))
    """

    def __init__(
        self,
        units: int,
        activation: Any = "tanh",
        use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform",
        recurrent_initializer: Any = "orthogonal",
        bias_initializer: Any = "zeros",
        kernel_regularizer: Any = None,
        recurrent_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        kernel_constraint: Any = None,
        recurrent_constraint: Any = None,
        bias_constraint: Any = None,
        dropout: float = 0.0,
        recurrent_dropout: float = 0.0,
        return_sequences: bool = False,
        return_state: bool = False,
        go_backwards: bool = False,
        stateful: bool = False,
        unroll: bool = False,
        seed: int | None = None,
        *,
        zero_output_for_mask: bool = False,
        truncate: int | None = None,
        **kwargs: Any,
    ) -> None:
        cell = ElmanCell(
            units,
            activation=activation,
            use_bias=use_bias,
            kernel_initializer=kernel_initializer,
            recurrent_initializer=recurrent_initializer,
            bias_initializer=bias_initializer,
            kernel_regularizer=kernel_regularizer,
            recurrent_regularizer=recurrent_regularizer,
            bias_regularizer=bias_regularizer,
            kernel_constraint=kernel_constraint,
            recurrent_constraint=recurrent_constraint,
            bias_constraint=bias_constraint,
            dropout=dropout,
            recurrent_dropout=recurrent_dropout,
            seed=seed,
            name="elman_cell",
            **cell_options(kwargs),
        )
        super().__init__(
            cell,
            return_sequences,
            return_state,
            go_backwards,
            stateful,
            unroll,
            zero_output_for_mask,
            truncate=truncate,
            activity_regularizer=activity_regularizer,
            **kwargs,
        )
