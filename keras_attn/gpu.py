"""The GPU that JAX computes on."""

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
