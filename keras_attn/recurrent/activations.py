"""The activations that loops with a gradient written by hand can run.

Each has its gradient as a function of its output, so that the output is all a step has to keep.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from keras import ops


class Activation(NamedTuple):
    """A function of pre-activations, and the gradient it passes back through its output y."""

    forward: Callable[..., Any]
    backward: Callable[[Any, Any], Any]


def modrelu(z: Any, bias: Any) -> Any:
    """Moves each number's magnitude by a bias, never past zero, and keeps its sign.

    Source: Arjovsky et al. 2016, equation 8; real numbers as in Lezcano-Casado & Martínez-Rubio
        2019, section 5.
    Formula: `y = sign(z) max(0, |z| + b)`

    Args:
        z: Tensor (..., U).
        bias: Tensor (U,); zeros make it the identity.

    Outputs: Tensor (..., U).

    Example:
        >>> ops.convert_to_numpy(modrelu(ops.array([-3.0, 0.5]), ops.array([-1.0, -1.0]))).tolist()
        [-2.0, 0.0]
    """
    return ops.sign(z) * ops.relu(ops.abs(z) + bias)


ACTIVATIONS = {
    "tanh": Activation(ops.tanh, lambda d, y: d * (1 - y * y)),
    "sigmoid": Activation(ops.sigmoid, lambda d, y: d * y * (1 - y)),
    "relu": Activation(ops.relu, lambda d, y: ops.where(y > 0, d, 0)),
    "linear": Activation(lambda z: z, lambda d, y: d),
}
# With a bias of its own, which not every cell has.
MODRELU = {"modrelu": Activation(modrelu, lambda d, y: ops.where(ops.equal(y, 0), 0, d))}


def check_activation(name: Any, argument: str, *others: str) -> str:
    """The name, if it is one of the activations or of the `others` that a cell has."""
    choices = (*ACTIVATIONS, *others)
    if name not in choices:
        raise ValueError(f"{argument} must be one of {', '.join(choices)}; received {name!r}.")
    return name
