"""Optimizers: Adam for sequence models, and stochastic gradient descent for linear ones."""

from collections.abc import Mapping
from typing import Any

import keras
from keras import ops
from keras.optimizers.schedules import LearningRateSchedule

from zoo.training.schedule import AccumulatingSchedule

UNDECAYED = ("bias", "beta", "gamma", "log_variance")  # names of weights without weight decay


@keras.saving.register_keras_serializable(package="zoo")
class AdamW(keras.optimizers.Adam):
    """Adam with decoupled weight decay and an optional learning rate factor for each weight.

    Unlike the optimizer of Keras, it computes the bias correction c once per update instead of once
    per weight, and on TensorFlow the rest in one operator per weight, which makes training steps
    without XLA faster; and it supports learning rates by layer.

    Source: Kingma & Ba 2015, end of section 2 (bias corrections merged into the learning rate);
        Loshchilov & Hutter 2019, algorithm 2 (weight decay); Howard & Ruder 2018, section 3.2
        (learning rates by layer).
    Formula: with g the gradient, `m = m + (1 - beta_1) (g - m)`, `v = v + (1 - beta_2) (g^2 - v)`,
        `w = w - rate_w (m / (sqrt(v) + epsilon) c + decay w)`,
        `c = sqrt(1 - beta_2^n) / (1 - beta_1^n)` in update n; no decay for biases, the weights
        of normalization layers, and the variances of tasks

    Args:
        learning_rate: A float, or a Keras schedule such as `NoamSchedule`.
        decay: Weight decay coefficient.
        rates: Learning rate factors by the path of a weight. Defaults to 1 for other weights.
        **kwargs: See `keras.optimizers.Adam`.

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
        index = self._get_variable_index(variable)
        path = self._trainable_variables[index].path
        factor = self.rates.get(path, 1.0)
        plain, corrected = (ops.cast(rate, variable.dtype) * factor for rate in learning_rate)
        if self.decay and path.rpartition("/")[2] not in UNDECAYED:
            self.assign_sub(variable, variable * (plain * self.decay))
        m, v = self._momentums[index], self._velocities[index]
        if keras.backend.backend() == "tensorflow":
            from zoo.training.fused_adam import apply_adam

            betas = (self.beta_1, self.beta_2)
            apply_adam(variable, (m, v), gradient, corrected, betas, self.epsilon)
            return
        gradient = ops.cast(gradient, variable.dtype)
        self.assign_add(m, (gradient - m) * (1 - self.beta_1))
        self.assign_add(v, (ops.square(gradient) - v) * (1 - self.beta_2))
        self.assign_sub(variable, m * corrected / (ops.sqrt(v) + self.epsilon))

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "decay": self.decay, "rates": self.rates}


def adam(
    learning_rate: Any,
    clipnorm: float | None = None,
    decay: float = 0.0,
    rates: Mapping[str, float] | None = None,
    beta_2: float = 0.98,
    accumulate: int = 1,
) -> AdamW:
    """Adam with the usual hyperparameters, by default those for sequence models.

    Source: Vaswani et al. 2017, section 5.3: beta_1 0.9, beta_2 0.98, epsilon 1e-9; clipping:
        Pascanu et al. 2013, algorithm 1, over all gradients together.
    Formula: with g the gradients of all weights, g is scaled by `min(1, clipnorm / ||g||)`, then
        Adam's update follows. Under `mixed_float16`, the gradients are clipped after removing the
        loss scale, so `clipnorm` has the same meaning in every precision.

    Args:
        learning_rate: A float, or a Keras schedule such as `NoamSchedule`.
        clipnorm: Maximum global norm of the gradients, or None for no clipping.
        decay: Weight decay coefficient.
        rates: Learning rate factors by the path of a weight.
        beta_2: Decay rate of the mean of squared gradients.
        accumulate: Number of batches whose mean gradient each update takes.

    Returns:
        A new `AdamW`.

    Raises:
        ValueError: If `clipnorm` is not above 0, or `decay` is below 0.

    Example:
        >>> round(float(adam(0.001, clipnorm=1.0).beta_2), 2)
        0.98
    """
    if clipnorm is not None and not clipnorm > 0:
        raise ValueError(f"`clipnorm` must be above 0 or None, got {clipnorm}.")
    if not decay >= 0:
        raise ValueError(f"`decay` must be at least 0, got {decay}.")
    return AdamW(
        _by_updates(learning_rate, accumulate),
        decay,
        rates,
        beta_1=0.9,
        beta_2=beta_2,
        epsilon=1e-9,
        global_clipnorm=clipnorm,
        gradient_accumulation_steps=_accumulation(accumulate),
    )


@keras.saving.register_keras_serializable(package="zoo")
class SGD(keras.optimizers.SGD):
    """Keras's gradient descent with an optional learning rate factor for each weight.

    Source: Sutskever et al. 2013, section 2; Howard & Ruder 2018, section 3.2 (rates by layer).
    Formula: `v = momentum v - rate_w g`; `w = w + momentum v - rate_w g` with `nesterov`, otherwise
        `w = w + v`

    Args:
        learning_rate: A float, or a Keras schedule.
        rates: Learning rate factors by the path of a weight. Defaults to 1 for other weights.
        **kwargs: See `keras.optimizers.SGD`.

    Example:
        >>> import numpy as np
        >>> weight = keras.Variable([1.0])
        >>> SGD(0.5, rates={weight.path: 0.1}).apply([np.ones(1, "float32")], [weight])
        >>> round(float(ops.convert_to_numpy(weight)[0]), 6)
        0.95
    """

    def __init__(
        self, learning_rate: Any = 0.01, rates: Mapping[str, float] | None = None, **kwargs: Any
    ) -> None:
        super().__init__(learning_rate, **kwargs)
        self.rates = dict(rates or {})

    def update_step(self, gradient: Any, variable: Any, learning_rate: Any) -> None:
        path = self._trainable_variables[self._get_variable_index(variable)].path
        super().update_step(gradient, variable, learning_rate * self.rates.get(path, 1.0))

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "rates": self.rates}


def sgd(
    learning_rate: Any,
    clipnorm: float | None = None,
    rates: Mapping[str, float] | None = None,
    accumulate: int = 1,
    momentum: float = 0.9,
) -> SGD:
    """Stochastic gradient descent with Nesterov momentum.

    For linear models on sparse features: Adam changes the weights of rare features as much as those
    of frequent features; gradient descent changes them in proportion to their gradients.

    Source: Sutskever et al. 2013, section 2: momentum 0.9.

    Args:
        learning_rate: A float, or a Keras schedule.
        clipnorm: Maximum global norm of the gradients, or None for no clipping.
        rates: Learning rate factors by the path of a weight.
        accumulate: Number of batches whose mean gradient each update takes.
        momentum: Momentum; 0 for none.

    Example:
        >>> sgd(5.0).momentum
        0.9
    """
    return SGD(
        _by_updates(learning_rate, accumulate),
        rates,
        momentum=momentum,
        nesterov=True,
        global_clipnorm=clipnorm,
        gradient_accumulation_steps=_accumulation(accumulate),
    )


def _accumulation(accumulate: int) -> int | None:
    """The argument `gradient_accumulation_steps` of Keras, which does not take 1."""
    return accumulate if accumulate > 1 else None


def _by_updates(learning_rate: Any, accumulate: int) -> Any:
    """The learning rate; of a schedule, by the number of updates."""
    if accumulate > 1 and isinstance(learning_rate, LearningRateSchedule):
        return AccumulatingSchedule(learning_rate, accumulate)
    return learning_rate
