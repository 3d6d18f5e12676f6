"""The optimizer of the Transformer paper."""

from typing import Any

import keras


def adam(learning_rate: Any, clipnorm: float | None = None) -> keras.optimizers.Adam:
    """Adam with the constants that sequence models are trained with.

    Source: Vaswani et al. 2017, section 5.3: beta_1 0.9, beta_2 0.98, epsilon 1e-9. Clipping is
    Pascanu et al. 2013, algorithm 1, over all gradients together.

    Formula: with g the gradients of all weights, g is scaled by `min(1, clipnorm / ||g||)`, then
    Adam's update follows. Under `mixed_float16` the gradients are clipped after the loss scale is
    divided out of them, so `clipnorm` means the same in every precision.

    Args:
        learning_rate: A float or a Keras schedule such as `NoamSchedule`.
        clipnorm: Largest norm of the gradients of one update; None leaves them as they are.

    Outputs: a new `keras.optimizers.Adam`.

    Raises:
        ValueError: if `clipnorm` is not above 0.

    Example:
    >>> round(float(adam(0.001, clipnorm=1.0).beta_2), 2)
    0.98
    """
    if clipnorm is not None and not clipnorm > 0:
        raise ValueError(f"`clipnorm` must be above 0 or None, got {clipnorm}.")
    return keras.optimizers.Adam(
        learning_rate, beta_1=0.9, beta_2=0.98, epsilon=1e-9, global_clipnorm=clipnorm
    )
