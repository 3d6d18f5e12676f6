"""One step of the gated recurrent unit (GRU)."""

from typing import Any

import keras
from keras import ops

from keras_attn.recurrent.activations import TANH_AND_SIGMOID, in_loop
from keras_attn.recurrent.cell import RecurrentCell
from keras_attn.recurrent.gru_loop import gru_sequence, gru_step


@keras.saving.register_keras_serializable(package="keras_attn")
class GRUCell(RecurrentCell):
    """Cell of the gated recurrent unit (GRU): one step.

    Source: Cho et al. 2014, equations 5 to 8 (reset gate before the matrix product); `reset_after`
        as in NVIDIA's cuDNN; dropout: Gal & Ghahramani 2016.
    Formula: `z = σ(x W_z + h U_z + b_z)`, `r = σ(x W_r + h U_r + b_r)`,
        `h̃ = tanh(x W_h + b_h + r (h U_h + b'_h))`, or without `reset_after`
        `h̃ = tanh(x W_h + (r h) U_h + b_h)`; `h' = z h + (1 - z) h̃`

    Args:
        units: Size U of the hidden state.
        activation: Activation of the candidate h̃, an activation of Keras or a function.
        recurrent_activation: Activation of the gates z and r.
        use_bias: Whether there is a bias.
        kernel_initializer: Initializer of the input kernel (D, 3U), gates in the order z, r, h.
        recurrent_initializer: Initializer of the recurrent kernel (U, 3U).
        bias_initializer: Initializer of the bias (2, 3U), an input bias and a recurrent bias, or
            (3U,) without `reset_after`.
        kernel_regularizer, recurrent_regularizer, bias_regularizer: Regularizers of the weights.
        kernel_constraint, recurrent_constraint, bias_constraint: Constraints of the weights.
        dropout: Dropout rate of the inputs during training.
        recurrent_dropout: Dropout rate of h during training, in its products with the kernel.
        reset_after: Whether to apply the reset gate after the recurrent matrix product, as Keras
            does by default, instead of before it.
        seed: Random seed of dropout.

    Inputs: `inputs` (B, D) and the states [h (B, U)]. Called by itself, the cell draws its dropout
        masks in each step; `RNN` draws them once per sequence.
    Outputs: h' (B, U) and the new states [h'].

    Raises:
        ValueError: If `units` is not a positive integer, a dropout rate is not in [0, 1), or an
            activation is unknown.

    Example:
        >>> from keras import ops
        >>> from keras_attn import GRUCell
        >>> cell = GRUCell(5)
        >>> output, states = cell(ops.ones((3, 7)), cell.get_initial_state(3))
        >>> tuple(output.shape), len(states)
        ((3, 5), 1)
    """

    gates = 3
    gradients = TANH_AND_SIGMOID

    def __init__(
        self,
        units: int,
        activation: Any = "tanh",
        recurrent_activation: Any = "sigmoid",
        use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform",
        recurrent_initializer: Any = "orthogonal",
        bias_initializer: Any = "zeros",
        kernel_regularizer: Any = None,
        recurrent_regularizer: Any = None,
        bias_regularizer: Any = None,
        kernel_constraint: Any = None,
        recurrent_constraint: Any = None,
        bias_constraint: Any = None,
        dropout: float = 0.0,
        recurrent_dropout: float = 0.0,
        reset_after: bool = True,
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
        self.reset_after = reset_after

    def _bias_shape(self) -> tuple:
        width = self.projected_size
        return (2, width) if self.reset_after else (width,)

    def _input_bias(self) -> Any:
        if self.bias is None or not self.reset_after:
            return self.bias
        # Only the recurrent bias of the candidate cannot be added before the loop.
        recurrent = self.bias[1][: 2 * self.units]
        zeros = ops.zeros((self.units,), dtype=recurrent.dtype)
        return self.bias[0] + ops.concatenate([recurrent, zeros], axis=0)

    def _reset_bias(self) -> Any:
        """Returns the recurrent bias (U,) of the candidate, or None without `reset_after`."""
        if not self.reset_after:
            return None
        if self.bias is None:
            return ops.zeros((self.units,), dtype=self.compute_dtype)
        return self.bias[1][2 * self.units :]

    def _loop_weights(self) -> dict[str, Any]:
        kernels = ops.split(ops.copy(self.recurrent_kernel), 3, axis=-1)
        return {"kernels": kernels, "reset_bias": self._reset_bias()}

    def recur(
        self,
        projected: list,
        states: list,
        weights: dict[str, Any] | None = None,
        constants: Any = None,
        training: Any = None,
    ) -> tuple[Any, list]:
        """Runs one step from projected inputs; returns h' and the new states [h']."""
        functions = {"activation": self.activation, "gate": self.recurrent_activation}
        options = weights or self.loop_weights()
        options = options | {name: in_loop(function) for name, function in functions.items()}
        h, _ = gru_step(projected, *states, **options)
        return h, [h]

    def sequence(
        self, projected: list, states: list, mask: Any = None, truncate: int | None = None
    ) -> tuple[Any, list]:
        """Runs all steps on projected, time-major inputs; returns hs (T, B, U) and [h]."""
        kernel, (h,) = ops.copy(self.recurrent_kernel), states
        hs, h = gru_sequence(projected, kernel, h, mask, self._reset_bias(), truncate)
        return hs, [h]

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "reset_after": self.reset_after}
