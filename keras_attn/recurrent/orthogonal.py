"""A recurrent cell with an orthogonal recurrent matrix, which keeps the gradient's norm."""

import math
from typing import Any

import keras
import numpy as np
from keras import initializers, ops

from keras_attn.recurrent.activations import NAMES, check_activation, modrelu
from keras_attn.recurrent.elman_cell import ElmanCell

SQUARINGS = 4


def orthogonal_matrix(parameter: Any) -> Any:
    """Computes a rotation matrix: the matrix exponential of the parameter's skew-symmetric part.

    The parameter is scaled down, its Taylor series is summed up to the sixteenth power, and the
    result is squared four times; one Newton-Schulz step then removes the remaining rounding errors.
    All of it is a fixed sequence of matrix products in float32. Every rotation can be reached with
    angles of at most π; the series is exact to rounding for angles up to 40, and the result is
    orthogonal to within 1e-4 for angles up to 70.

    Source: Lezcano-Casado & Martínez-Rubio 2019, section 3; scaling and squaring: Higham 2008,
        section 10.3; Newton-Schulz step: Björck & Bowie 1971.
    Formula: `Q = exp(P - Pᵀ)`

    Args:
        parameter: Unconstrained parameter P (U, U).

    Returns:
        Orthogonal matrix Q (U, U), float32.

    Example:
        >>> quarter = orthogonal_matrix(ops.array([[0.0, np.pi / 2], [0.0, 0.0]]))
        >>> np.abs(ops.convert_to_numpy(quarter)).round(5).tolist()
        [[0.0, 1.0], [1.0, 0.0]]
    """
    parameter = ops.cast(parameter, "float32")
    a = (parameter - ops.transpose(parameter)) / 2**SQUARINGS
    identity = ops.eye(parameter.shape[0], dtype="float32")
    a2 = ops.matmul(a, a)
    a3, a4 = ops.matmul(a, a2), ops.matmul(a2, a2)

    def terms(first):
        powers = enumerate((identity, a, a2, a3), start=first)
        return sum(power * (1 / math.factorial(n)) for n, power in powers)

    q = terms(12) + a4 * (1 / math.factorial(16))
    for first in (8, 4, 0):
        q = terms(first) + ops.matmul(a4, q)
    for _ in range(SQUARINGS):
        q = ops.matmul(q, q)
    return ops.matmul(q, 1.5 * identity - 0.5 * ops.matmul(ops.transpose(q), q))


def random_rotations(shape: tuple, dtype: Any = None) -> Any:
    """Initializes the parameter of `orthogonal_matrix`: random rotations of pairs of units.

    Source: Henaff et al. 2016; Lezcano-Casado & Martínez-Rubio 2019, section 5.
    Formula: `P[2i, 2i + 1] ~ uniform(-π, π)`, zero elsewhere

    Args:
        shape: Shape (U, U) of the parameter.
        dtype: Dtype of the parameter.

    Returns:
        Parameter P (U, U).

    Example:
        >>> int(np.count_nonzero(ops.convert_to_numpy(random_rotations((5, 5)))))
        2
    """
    size = shape[0]
    angles = initializers.RandomUniform(-math.pi, math.pi)((size, 1), dtype)
    pairs = np.eye(size, k=1) * (np.arange(size) % 2 == 0)[:, None]
    return angles * ops.cast(pairs, angles.dtype)


@keras.saving.register_keras_serializable(package="keras_attn")
class OrthogonalCell(ElmanCell):
    """Cell of a simple recurrent network whose recurrent matrix stays orthogonal during training.

    The matrix Q is computed once per sequence. With modReLU and b = 0, or with a linear activation,
    the norm of the gradient is preserved over any number of steps.

    Source: Lezcano-Casado & Martínez-Rubio 2019, sections 3 and 4 (expRNN); modReLU: Arjovsky et
        al. 2016, equation 8.
    Formula: `h' = modReLU(x W + h Q; b)` or `h' = activation(x W + h Q + b)`, `Q = exp(P - Pᵀ)`,
        `modReLU(z; b) = sign(z) max(0, |z| + b)`

    Args:
        units: Size U of the hidden state.
        activation: One of "modrelu", "tanh", "sigmoid", "relu" and "linear".
        kernel_initializer: Initializer of the input kernel W (D, U).
        recurrent_initializer: Initializer of the parameter P (U, U). By default, Q rotates each
            pair of units by a random angle (Henaff et al. 2016).
        bias_initializer: Initializer of the bias b (U,), which modReLU uses as its threshold and
            every other activation adds to its input.
        **kwargs: Further arguments of `ElmanCell`, such as `dropout`.

    Inputs: `sequence` (B, D), one step of it, and the states [h (B, U)].
    Outputs: h' (B, U) and the new states [h'].

    Raises:
        ValueError: If `units` is not a positive integer, `activation` is unknown, or modReLU has no
            bias.

    Example:
        >>> from keras import ops
        >>> from keras_attn import OrthogonalCell
        >>> from keras_attn.recurrent.rnn import RNN
        >>> layer = RNN(OrthogonalCell(5), return_sequences=True)
        >>> tuple(layer(ops.ones((2, 3, 7))).shape)
        (2, 3, 5)
    """

    def __init__(
        self,
        units: int,
        activation: str = "modrelu",
        kernel_initializer: Any = "glorot_uniform",
        recurrent_initializer: Any = None,
        bias_initializer: Any = "zeros",
        **kwargs: Any,
    ) -> None:
        name = check_activation(activation, "activation", "modrelu")
        super().__init__(
            units,
            modrelu if name == "modrelu" else name,
            kernel_initializer=kernel_initializer,
            recurrent_initializer=recurrent_initializer,
            bias_initializer=bias_initializer,
            **kwargs,
        )
        if name == "modrelu" and not self.use_bias:
            raise ValueError("use_bias must be True for modrelu, whose threshold is the bias.")

    def _add_weight(self, part: str, shape: tuple, *args: Any, **options: Any) -> Any:
        if part != "recurrent":
            return super()._add_weight(part, shape, *args, **options)
        # In half precision Q would not be orthogonal.
        first = self.recurrent_initializer or random_rotations
        return super()._add_weight(part, shape, "skew", initializer=first, autocast=False)

    def _input_bias(self) -> Any:
        return None if self.activation is modrelu else self.bias

    def _loop_weights(self) -> dict[str, Any]:
        """Returns Q, and the bias of modReLU if that is the activation."""
        matrix = ops.cast(orthogonal_matrix(self.recurrent_kernel), self.compute_dtype)
        if self.activation is not modrelu:
            return {"kernel": matrix}
        return {"kernel": matrix, "threshold": ops.copy(self.bias)}

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "activation": NAMES[self.activation]}
