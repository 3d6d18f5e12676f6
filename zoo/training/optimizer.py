"""Adam as sequence models are trained with it: clipped, with weight decay, with rates by layer."""

from collections.abc import Mapping
from typing import Any

import keras
from keras import ops

UNDECAYED = ("bias", "beta", "gamma")  # names of weights that decay would only hinder


@keras.saving.register_keras_serializable(package="zoo")
class AdamW(keras.optimizers.Adam):
    """Adam, with weight decay beside the gradient and a rate of its own for any weight.

    Source: Kingma & Ba 2015, end of section 2 (the corrections as one factor of the rate);
    Loshchilov & Hutter 2019, algorithm 2 (weight decay); Howard & Ruder 2018, section 3.2
    (rates by layer).

    Formula: with g the gradient, `m = m + (1 - beta_1) (g - m)`, `v = v + (1 - beta_2) (g^2 - v)`,
    `w = w - rate_w (m / (sqrt(v) + epsilon) c + decay w)`,
    `c = sqrt(1 - beta_2^n) / (1 - beta_1^n)` in update n; biases and the weights of norms do not
    decay.

    It differs from Keras's in that c is computed once an update and not once a weight, which
    makes the graph of a step shorter, and in the rates.

    Args:
        learning_rate: A float or a Keras schedule such as `NoamSchedule`.
        decay: Weight decay.
        rates: Factors of the rate by the path of a weight; 1 where there is none.
        **kwargs: As for `keras.optimizers.Adam`.

    Example:
    >>> import numpy as np
    >>> weight = keras.Variable([1.0, 2.0])
    >>> AdamW(0.1, decay=0.5).apply([np.array([0.0, 0.0], "float32")], [weight])
    >>> [round(float(w), 6) for w in ops.convert_to_numpy(weight)]
    [0.95, 1.9]
    """

    def __init__(
        self,
        learning_rate: Any = 0.001,
        decay: float = 0.0,
        rates: Mapping[str, float] | None = None,
        name: str = "adamw",
        **kwargs: Any,
    ) -> None:
        super().__init__(learning_rate, name=name, **kwargs)
        self.decay, self.rates = decay, dict(rates or {})

    def _backend_update_step(self, grads: Any, trainable_variables: Any, learning_rate: Any) -> Any:
        step = ops.cast(self.iterations + 1, "float32")
        ones = [1.0 - ops.power(float(beta), step) for beta in (self.beta_1, self.beta_2)]
        rate = ops.cast(learning_rate, "float32")
        corrected = rate * ops.sqrt(ones[1]) / ones[0]
        return super()._backend_update_step(grads, trainable_variables, (rate, corrected))

    def update_step(self, gradient: Any, variable: Any, learning_rate: Any) -> None:
        plain, corrected = (ops.cast(rate, variable.dtype) for rate in learning_rate)
        gradient = ops.cast(gradient, variable.dtype)
        index = self._get_variable_index(variable)
        m, v, path = (
            self._momentums[index],
            self._velocities[index],
            self._trainable_variables[index].path,
        )
        self.assign_add(m, (gradient - m) * (1 - self.beta_1))
        self.assign_add(v, (ops.square(gradient) - v) * (1 - self.beta_2))
        change = m * corrected / (ops.sqrt(v) + self.epsilon)
        if self.decay and path.rpartition("/")[2] not in UNDECAYED:
            change = change + variable * (plain * self.decay)
        factor = self.rates.get(path, 1.0)
        self.assign_sub(variable, change if factor == 1 else change * factor)

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "decay": self.decay, "rates": self.rates}


def adam(
    learning_rate: Any,
    clipnorm: float | None = None,
    decay: float = 0.0,
    rates: Mapping[str, float] | None = None,
) -> AdamW:
    """Adam with the constants that sequence models are trained with.

    Source: Vaswani et al. 2017, section 5.3: beta_1 0.9, beta_2 0.98, epsilon 1e-9. Clipping is
    Pascanu et al. 2013, algorithm 1, over all gradients together.

    Formula: with g the gradients of all weights, g is scaled by `min(1, clipnorm / ||g||)`, then
    Adam's update follows. Under `mixed_float16` the gradients are clipped after the loss scale is
    divided out of them, so `clipnorm` means the same in every precision.

    Args:
        learning_rate: A float or a Keras schedule such as `NoamSchedule`.
        clipnorm: Largest norm of the gradients of one update; None leaves them as they are.
        decay: Weight decay.
        rates: Factors of the rate by the path of a weight.

    Outputs: a new `AdamW`.

    Raises:
        ValueError: if `clipnorm` is not above 0, or `decay` is below 0.

    Example:
    >>> round(float(adam(0.001, clipnorm=1.0).beta_2), 2)
    0.98
    """
    if clipnorm is not None and not clipnorm > 0:
        raise ValueError(f"`clipnorm` must be above 0 or None, got {clipnorm}.")
    if not decay >= 0:
        raise ValueError(f"`decay` must be at least 0, got {decay}.")
    return AdamW(
        learning_rate, decay, rates, beta_1=0.9, beta_2=0.98, epsilon=1e-9, global_clipnorm=clipnorm
    )
