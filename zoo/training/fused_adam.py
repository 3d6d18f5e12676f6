"""Adam's update of a weight as one operator of TensorFlow."""

from typing import Any

import keras
import tensorflow as tf


def apply_adam(
    variable: tf.Variable,
    moments: tuple[keras.Variable, keras.Variable],
    gradient: Any,
    rate: Any,
    betas: tuple[float, float],
    epsilon: float,
) -> None:
    """Updates a weight and its moments in one pass over them.

    Operators for each product and sum of the formula would read and write tensors of the size of
    all weights a dozen times, where XLA does not join them.

    Source: Kingma & Ba 2015, end of section 2.
    Formula: See `zoo.training.optimizer.AdamW`, without decay.

    Args:
        variable: The weight w.
        moments: The moments m and v.
        gradient: Its gradient, a tensor or the rows of one.
        rate: Learning rate times bias correction.
        betas: Decay rates of the moments.
        epsilon: Constant in the denominator.

    Example:
        >>> weight, m, v = (keras.Variable([start]) for start in (1.0, 0.0, 0.0))
        >>> apply_adam(weight.value, (m, v), tf.constant([2.0]), 0.1, (0.75, 0.75), 0.0)
        >>> float(m[0]), float(v[0]), round(float(weight[0]), 4)
        (0.5, 1.0, 0.95)
    """
    dtype = variable.dtype
    tf.raw_ops.ResourceApplyAdam(
        var=variable.handle,
        m=moments[0].value.handle,
        v=moments[1].value.handle,
        # The operator corrects the bias itself, which at powers of 0 changes nothing.
        beta1_power=tf.zeros((), dtype),
        beta2_power=tf.zeros((), dtype),
        lr=tf.cast(rate, dtype),
        beta1=tf.constant(betas[0], dtype),
        beta2=tf.constant(betas[1], dtype),
        epsilon=tf.constant(epsilon, dtype),
        grad=tf.cast(tf.convert_to_tensor(gradient), dtype),
    )
