"""One value and its gradient, on whichever backend Keras runs."""

from collections.abc import Callable
from typing import Any

import keras
import numpy as np


def value_and_gradient(
    function: Callable[[Any], Any], x: np.ndarray, jit_compile: bool = False
) -> tuple[np.ndarray, np.ndarray]:
    """`function(x)`, a scalar, and its gradient, eagerly or compiled by XLA."""
    if keras.backend.backend() == "jax":
        import jax

        both = jax.value_and_grad(function)
        value, gradient = (jax.jit(both) if jit_compile else both)(jax.numpy.asarray(x))
    elif keras.backend.backend() == "torch":
        import torch

        x = torch.tensor(x, requires_grad=True)
        value = function(x)
        (gradient,) = torch.autograd.grad(value, x)
        value = value.detach()
    else:
        import tensorflow as tf

        def both(x):
            with tf.GradientTape() as tape:
                tape.watch(x)
                value = function(x)
            return value, tape.gradient(value, x)

        if jit_compile:
            both = tf.function(both, jit_compile=True, autograph=False)
        value, gradient = both(tf.constant(x))
    return np.asarray(value), np.asarray(gradient)
