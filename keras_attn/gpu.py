"""The GPU that JAX computes on, and the operations that are faster there."""

from collections.abc import Callable
from typing import Any

import keras


def compute_capability() -> float:
    """Returns the generation of the GPU, such as 8.0 for Ampere; 0 without one of NVIDIA's on JAX.

    Example:
        >>> compute_capability() >= 0
        True
    """
    if keras.backend.backend() != "jax":
        return 0.0
    import jax

    if jax.default_backend() != "gpu":
        return 0.0
    generation = getattr(jax.devices()[0], "compute_capability", "")
    return float(generation) if "." in generation else 0.0  # AMD's have no number


def recomputed(function: Callable[[Any], Any], x: Any) -> Any:
    """Calls a function; for its gradient, a GPU computes all but matrix products a second time.

    XLA keeps the results of functions such as tanh from the forward to the backward pass. To write
    and read them takes a GPU longer than to compute them twice.

    Args:
        function: Takes a tensor and returns one, such as a dense layer with its activation.
        x: Input of the function.

    Returns:
        The result of the function.

    Example:
        >>> float(recomputed(keras.ops.tanh, keras.ops.zeros(())))
        0.0
    """
    if not compute_capability():
        return function(x)
    import jax

    return jax.checkpoint(function, policy=jax.checkpoint_policies.dots_saveable)(x)
