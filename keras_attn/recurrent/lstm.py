"""Long short-term memory (LSTM) over a sequence."""

from typing import Any

import keras

from keras_attn.recurrent.cell_layer import CellLayer, cell_options, check_use_cudnn
from keras_attn.recurrent.lstm_cell import LSTMCell


@keras.saving.register_keras_serializable(package="keras_attn")
class LSTM(CellLayer):
    """Long short-term memory (LSTM) over a sequence.

    It takes the arguments and the weights of `keras.layers.LSTM`. The input products `x_t W` are
    computed as one matrix product before the loop. During training, a second, hand-written loop
    computes the gradient.

    Source: Hochreiter & Schmidhuber 1997; see `LSTMCell`.
    Formula: `h_t, c_t = LSTMCell(x_t, h_{t-1}, c_{t-1})`, t = 1 … T

    Args:
        units: Size U of the hidden state h and of the cell state c.
        activation: Activation of g and of c', an activation of Keras or a function. With another
            than "tanh", the gradient is computed automatically, which takes longer.
        recurrent_activation: Activation of the gates; another than "sigmoid" likewise.
        use_bias: Whether there is a bias.
        kernel_initializer: Initializer of the input kernel (D, 4U), gates in the order i, f, g, o.
        recurrent_initializer: Initializer of the recurrent kernel (U, 4U).
        bias_initializer: Initializer of the bias (4U,).
        unit_forget_bias: Whether to initialize the bias of the forget gate to 1.
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
        return_state: Whether to return the final states in addition to the output.
        go_backwards: Whether to process the sequence in reverse; outputs are in reversed order.
        stateful: Whether a batch starts from the last states of the previous batch; see `RNN`.
        unroll: Whether to unroll the loop; see `RNN`.
        use_cudnn: Whether to use the kernel of cuDNN where it computes the same: on JAX and one GPU
            of NVIDIA, with the default activations, without recurrent dropout, truncation and
            unrolling, if masked steps are only at the end of sequences. "auto" and True do so.
        zero_output_for_mask: Whether masked steps output zeros instead of the previous output.
        truncate: Number of steps for truncated backpropagation through time; see `RNN`.

    Inputs: `sequences` (B, T, D); `initial_state` [h (B, U), c (B, U)]; `mask` (B, T), True for
        valid steps.
    Outputs: (B, U), or (B, T, U) with `return_sequences`; with `return_state`, followed by h and c.

    Raises:
        ValueError: If `units` or `truncate` is not a positive integer, a dropout rate is not in
            [0, 1), an activation is unknown, or the sequences, the mask or the states have the
            wrong shape.

    Example:
        >>> from keras_attn import LSTM
        >>> from keras import ops
        >>> layer = LSTM(5, return_sequences=True, return_state=True)
        >>> outputs, h, c = layer(ops.ones((2, 3, 7)))
        >>> tuple(outputs.shape), tuple(h.shape), tuple(c.shape)
        ((2, 3, 5), (2, 5), (2, 5))
    """

    def __init__(
        self,
        units: int,
        activation: Any = "tanh",
        recurrent_activation: Any = "sigmoid",
        use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform",
        recurrent_initializer: Any = "orthogonal",
        bias_initializer: Any = "zeros",
        unit_forget_bias: bool = True,
        kernel_regularizer: Any = None,
        recurrent_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        kernel_constraint: Any = None,
        recurrent_constraint: Any = None,
        bias_constraint: Any = None,
        dropout: float = 0.0,
        recurrent_dropout: float = 0.0,
        seed: int | None = None,
        return_sequences: bool = False,
        return_state: bool = False,
        go_backwards: bool = False,
        stateful: bool = False,
        unroll: bool = False,
        use_cudnn: Any = "auto",
        *,
        zero_output_for_mask: bool = False,
        truncate: int | None = None,
        **kwargs: Any,
    ) -> None:
        cell = LSTMCell(
            units,
            activation=activation,
            recurrent_activation=recurrent_activation,
            use_bias=use_bias,
            kernel_initializer=kernel_initializer,
            recurrent_initializer=recurrent_initializer,
            bias_initializer=bias_initializer,
            unit_forget_bias=unit_forget_bias,
            kernel_regularizer=kernel_regularizer,
            recurrent_regularizer=recurrent_regularizer,
            bias_regularizer=bias_regularizer,
            kernel_constraint=kernel_constraint,
            recurrent_constraint=recurrent_constraint,
            bias_constraint=bias_constraint,
            dropout=dropout,
            recurrent_dropout=recurrent_dropout,
            seed=seed,
            name="lstm_cell",
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
        self.use_cudnn = cell.use_cudnn = check_use_cudnn(use_cudnn)

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "use_cudnn": self.use_cudnn}
