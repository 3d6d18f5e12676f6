"""Activation functions for the recurrent loops with hand-written gradients.

Each gradient is a function of the activation's output, so a step needs to store only its output.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from keras import activations, ops


class Activation(NamedTuple):
    """An activation function, and its gradient from the upstream gradient and the output y."""

    forward: Callable[..., Any]
    backward: Callable[[Any, Any], Any]


def modrelu(z: Any, bias: Any) -> Any:
    """Shifts the magnitude of each number by a bias, clipped at zero, and keeps its sign.

    Source: Arjovsky et al. 2016, equation 8; for real numbers: Lezcano-Casado & Martínez-Rubio
        2019, section 5.
    Formula: `y = sign(z) max(0, |z| + b)`

    Args:
        z: Tensor (..., U).
        bias: Tensor (U,); with zeros, the function is the identity.

    Returns:
        Tensor (..., U).

    Example:
        >>> ops.convert_to_numpy(modrelu(ops.array([-3.0, 0.5]), ops.array([-1.0, -1.0]))).tolist()
        [-2.0, 0.0]
    """
    return ops.sign(z) * ops.relu(ops.abs(z) + bias)


def _softmax(z: Any) -> Any:
    return ops.cast(ops.softmax(ops.cast(z, "float32")), z.dtype)


ACTIVATIONS = {
    "tanh": Activation(ops.tanh, lambda d, y: d * (1 - y * y)),
    "sigmoid": Activation(ops.sigmoid, lambda d, y: d * y * (1 - y)),
    "relu": Activation(ops.relu, lambda d, y: ops.where(y > 0, d, 0)),
    "linear": Activation(lambda z: z, lambda d, y: d),
    "softmax": Activation(_softmax, lambda d, y: y * (d - ops.sum(d * y, axis=-1, keepdims=True))),
}
# Takes a bias of its own, so only some cells support it.
MODRELU = {"modrelu": Activation(modrelu, lambda d, y: ops.where(ops.equal(y, 0), 0, d))}
# The functions of Keras that the names stand for.
NAMES = {activations.get(name): name for name in ACTIVATIONS} | {modrelu: "modrelu"}

# By argument, the functions whose gradients the loops of the LSTM and the GRU have.
TANH_AND_SIGMOID = {
    "activation": {activations.tanh},
    "recurrent_activation": {activations.sigmoid},
}


def check_activation(name: Any, argument: str, *others: str) -> str:
    """Returns the name if it is a known activation or one of the `others` that a cell supports."""
    choices = (*ACTIVATIONS, *others)
    if name not in choices:
        raise ValueError(f"{argument} must be one of {', '.join(choices)}; received {name!r}.")
    return name


def get_activation(identifier: Any, argument: str) -> Callable:
    """Returns the activation function of Keras that a name, config or function stands for."""
    try:
        return activations.get(identifier)
    except (ValueError, TypeError) as error:
        raise ValueError(
            f"{argument} must be an activation of Keras or a function; received {identifier!r}."
        ) from error


def in_loop(activation: Callable) -> Callable:
    """Returns the operation for use in a loop, where Keras's function would add attributes."""
    name = NAMES.get(activation)
    return ACTIVATIONS[name].forward if name in ACTIVATIONS else activation
