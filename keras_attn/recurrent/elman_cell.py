"""One step of the simple (Elman) recurrent network."""

from typing import Any

import keras
from keras import ops

from keras_attn.recurrent.activations import NAMES, in_loop
from keras_attn.recurrent.cell import RecurrentCell
from keras_attn.recurrent.elman_loop import elman_sequence
from keras_attn.recurrent.gates import dropped


@keras.saving.register_keras_serializable(package="keras_attn")
class ElmanCell(RecurrentCell):
    """Cell of the simple (Elman) recurrent network: one step.

    Source: Elman 1990, figure 2; dropout: Gal & Ghahramani 2016.
    Formula: `h' = activation(x W + h U + b)`

    Args:
        units: Size U of the hidden state.
        activation: Activation of Keras, or a function. The gradients of "tanh", "sigmoid", "relu"
            and "linear" have a loop of their own, which is faster.
        use_bias: Whether there is a bias.
        kernel_initializer: Initializer of the input kernel W (D, U).
        recurrent_initializer: Initializer of the recurrent kernel (U, U).
        bias_initializer: Initializer of the bias b (U,).
        kernel_regularizer, recurrent_regularizer, bias_regularizer: Regularizers of the weights.
        kernel_constraint, recurrent_constraint, bias_constraint: Constraints of the weights.
        dropout: Dropout rate of the inputs during training.
        recurrent_dropout: Dropout rate of h during training, in its product with the kernel.
        seed: Random seed of dropout.

    Inputs: `sequence` (B, D), one step of it, and the states [h (B, U)]. Called by itself, the
        cell draws its dropout masks in each step; `RNN` draws them once per sequence.
    Outputs: h' (B, U) and the new states [h'].

    Raises:
        ValueError: If `units` is not a positive integer, a dropout rate is not in [0, 1), or the
            activation is unknown.

    Example:
        >>> from keras import ops
        >>> from keras_attn import ElmanCell
        >>> cell = ElmanCell(5, activation="relu")
        >>> output, states = cell(ops.ones((3, 7)), cell.get_initial_state(3))
        >>> tuple(output.shape), len(states)
        ((3, 5), 1)
    """

    gradients = {"activation": NAMES}

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
            (activation,),
            use_bias,
            (kernel_initializer, recurrent_initializer, bias_initializer),
            (kernel_regularizer, recurrent_regularizer, bias_regularizer),
            (kernel_constraint, recurrent_constraint, bias_constraint),
            dropout,
            recurrent_dropout,
            seed,
            **kwargs,
        )

    def _loop_weights(self) -> dict[str, Any]:
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
        (h,) = dropped(states[0], weights.get("masks"), gates=1)
        z = projected[0] + ops.matmul(h, weights["kernel"])
        threshold = [weights["threshold"]] if "threshold" in weights else []
        h = in_loop(self.activation)(z, *threshold)
        return h, [h]

    def sequence(
        self, projected: list, states: list, mask: Any = None, truncate: int | None = None
    ) -> tuple[Any, list]:
        """Runs all steps on projected, time-major inputs; returns hs (T, B, U) and [h]."""
        hs, h = elman_sequence(
            projected[0],
            h=states[0],
            activation=NAMES[self.activation],
            mask=mask,
            truncate=truncate,
            **self.loop_weights(),
        )
        return hs, [h]

    # Keras names the input of this cell `sequence`, not `inputs`.
    def call(self, sequence: Any, states: Any, training: bool | None = False) -> tuple[Any, Any]:
        return super().call(sequence, states, training)
