"""One step of the long short-term memory (LSTM)."""

from typing import Any

import keras
from keras import ops

from keras_attn.recurrent.activations import TANH_AND_SIGMOID, in_loop
from keras_attn.recurrent.cell import RecurrentCell
from keras_attn.recurrent.cudnn import cudnn_suits, lstm_in_cudnn
from keras_attn.recurrent.gates import dropped
from keras_attn.recurrent.lstm_loop import lstm_sequence, lstm_step


@keras.saving.register_keras_serializable(package="keras_attn")
class LSTMCell(RecurrentCell):
    """Cell of the long short-term memory (LSTM): one step.

    Source: Hochreiter & Schmidhuber 1997; forget gate: Gers et al. 2000; initial forget bias of 1:
        Jozefowicz et al. 2015; dropout: Gal & Ghahramani 2016.
    Formula: `i = σ(x W_i + h U_i + b_i)`, f and o likewise, `g = tanh(x W_g + h U_g + b_g)`,
        `c' = f c + i g`, `h' = o tanh(c')`

    Args:
        units: Size U of the hidden state h and of the cell state c.
        activation: Activation of g and of c', an activation of Keras or a function.
        recurrent_activation: Activation of the gates i, f and o.
        use_bias: Whether there is a bias.
        kernel_initializer: Initializer of the input kernel (D, 4U), gates in the order i, f, g, o.
        recurrent_initializer: Initializer of the recurrent kernel (U, 4U).
        bias_initializer: Initializer of the bias (4U,).
        unit_forget_bias: Whether to initialize the bias of the forget gate to 1.
        kernel_regularizer, recurrent_regularizer, bias_regularizer: Regularizers of the weights.
        kernel_constraint, recurrent_constraint, bias_constraint: Constraints of the weights.
        dropout: Dropout rate of the inputs during training.
        recurrent_dropout: Dropout rate of h during training, in its products with the kernel.
        seed: Random seed of dropout.

    Inputs: `inputs` (B, D) and the states [h (B, U), c (B, U)]. Called by itself, the cell draws
        its dropout masks in each step; `RNN` draws them once per sequence.
    Outputs: h' (B, U) and the new states [h', c'].

    Raises:
        ValueError: If `units` is not a positive integer, a dropout rate is not in [0, 1), or an
            activation is unknown.

    Example:
        >>> from keras import ops
        >>> from keras_attn import LSTMCell
        >>> cell = LSTMCell(5)
        >>> output, states = cell(ops.ones((3, 7)), cell.get_initial_state(3))
        >>> tuple(output.shape), len(states)
        ((3, 5), 2)
    """

    gates = 4
    gradients = TANH_AND_SIGMOID
    use_cudnn: Any = "auto"  # `LSTM` sets it

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
        kernel_constraint: Any = None,
        recurrent_constraint: Any = None,
        bias_constraint: Any = None,
        dropout: float = 0.0,
        recurrent_dropout: float = 0.0,
        seed: int | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            units,
            (activation, recurrent_activation),
            use_bias,
            (kernel_initializer, recurrent_initializer, bias_initializer),
            (kernel_regularizer, recurrent_regularizer, bias_regularizer),
            (kernel_constraint, recurrent_constraint, bias_constraint),
            dropout,
            recurrent_dropout,
            seed,
            **kwargs,
        )
        self.state_size = [self.units, self.units]
        self.unit_forget_bias = unit_forget_bias

    def _add_weight(self, part: str, shape: tuple, *args: Any, **options: Any) -> Any:
        if part == "bias":
            options["initializer"] = self._first_bias
        return super()._add_weight(part, shape, *args, **options)

    def _first_bias(self, shape: tuple, dtype: Any = None) -> Any:
        if not self.unit_forget_bias:
            return self.bias_initializer(shape, dtype=dtype)
        input_gate, rest = (self.bias_initializer((n * self.units,), dtype=dtype) for n in (1, 2))
        return ops.concatenate([input_gate, ops.ones((self.units,), dtype=dtype), rest])

    def _loop_weights(self) -> dict[str, Any]:
        return {"kernels": ops.split(ops.copy(self.recurrent_kernel), 4, axis=-1)}

    def recur(
        self,
        projected: list,
        states: list,
        weights: dict[str, Any] | None = None,
        constants: Any = None,
        training: Any = None,
    ) -> tuple[Any, list]:
        """Runs one step from projected inputs; returns h' and the new states [h', c']."""
        h, c = states
        if weights is None:
            products = ops.split(ops.matmul(h, self.recurrent_kernel), 4, axis=-1)
        else:
            pairs = zip(dropped(h, weights.get("masks"), 4), weights["kernels"], strict=True)
            products = [ops.matmul(*pair) for pair in pairs]
        functions = in_loop(self.activation), in_loop(self.recurrent_activation)
        z = [sum(pair) for pair in zip(projected, products, strict=True)]
        h, c, _ = lstm_step(z, c, *functions)
        return h, [h, c]

    def sequence(
        self, projected: list, states: list, mask: Any = None, truncate: int | None = None
    ) -> tuple[Any, list]:
        """Runs all steps on projected, time-major inputs; returns hs (T, B, U) and [h, c]."""
        kernel, (h, c) = ops.copy(self.recurrent_kernel), states
        hs, *states = lstm_sequence(projected, kernel, h, c, mask, truncate)
        return hs, states

    def kernel_suits(self, x: Any, run: Any) -> bool:
        """Whether cuDNN can compute the LSTM over a time-major sequence."""
        asked = self.use_cudnn and self.by_hand and not run.unroll and run.truncate is None
        return bool(asked and cudnn_suits(self.compute_dtype, *x.shape[:2]))

    def in_kernel(self, x: Any, states: list, run: Any, otherwise: Any) -> tuple:
        """Runs all steps in cuDNN, or `otherwise` if the mask does not allow it."""
        if run.training and self.dropout:
            x *= self._masks(self.dropout, x.shape[1:], 1)[0]
        weights = self.kernel, self.recurrent_kernel, self.bias
        return lstm_in_cudnn(x, states, *weights, run.mask, otherwise)

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "unit_forget_bias": self.unit_forget_bias}
