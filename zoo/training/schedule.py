"""Learning rate schedules: linear warmup, then inverse square root, cosine, linear or no decay."""

from typing import Any

import keras
from keras import ops

from zoo.errors import UserError


@keras.saving.register_keras_serializable(package="zoo")
class NoamSchedule(keras.optimizers.schedules.LearningRateSchedule):
    """Learning rate with linear warmup, then decay with the inverse square root of the step.

    Source: Vaswani et al. 2017, "Attention Is All You Need", section 5.3, equation 3.
    Formula: `rate(n) = scale * d_model^-0.5 * min(n^-0.5, n * warmup_steps^-1.5)`, where n counts
        updates from 1. Keras counts the updates already made, from 0, so `schedule(step)` is
        `rate(step + 1)`: the first update has a rate above zero, as in the paper.

    Args:
        d_model: Width of the model, above 0.
        warmup_steps: Number of warmup steps, above 0. The paper uses 4000.
        scale: Factor on the learning rate, above 0. The peak is
            `scale * (d_model * warmup_steps)^-0.5`.

    Inputs: The number of updates made, an integer or a scalar tensor.
    Outputs: The learning rate of the next update, a float32 scalar.

    Raises:
        ValueError: If an argument is not above 0.

    Example:
        >>> schedule = NoamSchedule(d_model=64, warmup_steps=400)
        >>> [round(float(schedule(step)), 6) for step in (0, 399, 1599)]
        [1.6e-05, 0.00625, 0.003125]
    """

    def __init__(self, d_model: int, warmup_steps: int = 4000, scale: float = 1.0) -> None:
        for name, value in (
            ("d_model", d_model),
            ("warmup_steps", warmup_steps),
            ("scale", scale),
        ):
            if not value > 0:
                raise ValueError(f"`{name}` must be above 0, got {value}.")
        self.d_model = d_model
        self.warmup_steps = warmup_steps
        self.scale = scale

    def __call__(self, step: Any) -> Any:
        update = ops.cast(step, "float32") + 1.0
        curve = ops.minimum(ops.rsqrt(update), update * self.warmup_steps**-1.5)
        return self.scale * self.d_model**-0.5 * curve

    def get_config(self) -> dict[str, Any]:
        return {
            "d_model": self.d_model,
            "warmup_steps": self.warmup_steps,
            "scale": self.scale,
        }


def cosine_schedule(
    learning_rate: float, warmup_steps: int, steps: int
) -> keras.optimizers.schedules.CosineDecay:
    """Learning rate with linear warmup from 0, then cosine decay to a tenth of the peak.

    Source: Radford et al. 2018, section 4.1, which decays to 0; Loshchilov & Hutter 2017, eq. 5.
    Formula: after the warmup, `rate(n) = peak (0.1 + 0.45 (1 + cos(pi (n - warmup) / rest)))`

    Args:
        learning_rate: Peak learning rate.
        warmup_steps: Number of warmup steps.
        steps: Total number of steps.

    Returns:
        A Keras schedule.

    Example:
        >>> schedule = cosine_schedule(0.001, warmup_steps=10, steps=110)
        >>> [round(float(schedule(step)), 6) for step in (0, 10, 60, 110)]
        [0.0, 0.001, 0.00055, 0.0001]
    """
    return keras.optimizers.schedules.CosineDecay(
        0.0,
        decay_steps=max(1, steps - warmup_steps),
        alpha=0.1,
        warmup_target=learning_rate,
        warmup_steps=warmup_steps,
    )


@keras.saving.register_keras_serializable(package="zoo")
class LinearSchedule(keras.optimizers.schedules.LearningRateSchedule):
    """Learning rate with linear warmup from 0, then linear decay to 0.

    Source: Devlin et al. 2019, appendix A.2.
    Formula: `rate(n) = peak min(n / warmup, (steps - n) / (steps - warmup))`, and 0 after the last
        step

    Args:
        learning_rate: Peak learning rate.
        warmup_steps: Number of warmup steps.
        steps: Total number of steps.

    Inputs: The number of updates made, an integer or a scalar tensor.
    Outputs: The learning rate of the next update, a float32 scalar.

    Example:
        >>> schedule = LinearSchedule(0.001, warmup_steps=10, steps=110)
        >>> [round(float(schedule(step)), 6) for step in (0, 5, 10, 60, 110)]
        [0.0, 0.0005, 0.001, 0.0005, 0.0]
    """

    def __init__(self, learning_rate: float, warmup_steps: int, steps: int) -> None:
        self.learning_rate, self.warmup_steps, self.steps = learning_rate, warmup_steps, steps

    def __call__(self, step: Any) -> Any:
        step = ops.cast(step, "float32")
        rise = step / max(1, self.warmup_steps)
        fall = (self.steps - step) / max(1, self.steps - self.warmup_steps)
        return self.learning_rate * ops.maximum(0.0, ops.minimum(rise, fall))

    def get_config(self) -> dict[str, Any]:
        return {
            "learning_rate": self.learning_rate,
            "warmup_steps": self.warmup_steps,
            "steps": self.steps,
        }


@keras.saving.register_keras_serializable(package="zoo")
class ConstantSchedule(keras.optimizers.schedules.LearningRateSchedule):
    """Learning rate with linear warmup, then constant.

    Source: Kingma & Ba 2015, algorithm 1, whose step size does not change.
    Formula: `rate(n) = peak min(n / warmup, 1)`, where n counts updates from 1

    Args:
        learning_rate: Peak learning rate.
        warmup_steps: Number of warmup steps.

    Inputs: The number of updates made, an integer or a scalar tensor.
    Outputs: The learning rate of the next update, a float32 scalar.

    Example:
        >>> schedule = ConstantSchedule(0.5, warmup_steps=2)
        >>> [float(schedule(step)) for step in (0, 1, 99)]
        [0.25, 0.5, 0.5]
    """

    def __init__(self, learning_rate: float, warmup_steps: int) -> None:
        self.learning_rate, self.warmup_steps = learning_rate, warmup_steps

    def __call__(self, step: Any) -> Any:
        rise = (ops.cast(step, "float32") + 1.0) / self.warmup_steps
        return self.learning_rate * ops.minimum(rise, 1.0)

    def get_config(self) -> dict[str, Any]:
        return {"learning_rate": self.learning_rate, "warmup_steps": self.warmup_steps}


@keras.saving.register_keras_serializable(package="zoo")
class AccumulatingSchedule(keras.optimizers.schedules.LearningRateSchedule):
    """A schedule that counts updates, for an optimizer that accumulates gradients.

    Keras passes the number of batches to a schedule, of which several make an update.

    Formula: `rate(n) = schedule(floor(n / accumulate))`, n batches

    Args:
        schedule: A Keras schedule.
        accumulate: Number of batches for each update.

    Example:
        >>> schedule = AccumulatingSchedule(LinearSchedule(0.1, 2, 4), accumulate=3)
        >>> [round(float(schedule(batch)), 2) for batch in (2, 3, 5, 6)]
        [0.0, 0.05, 0.05, 0.1]
    """

    def __init__(self, schedule: Any, accumulate: int) -> None:
        self.schedule, self.accumulate = schedule, accumulate

    def __call__(self, step: Any) -> Any:
        return self.schedule(ops.floor_divide(step, self.accumulate))

    def get_config(self) -> dict[str, Any]:
        schedule = keras.optimizers.schedules.serialize(self.schedule)
        return {"schedule": schedule, "accumulate": self.accumulate}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> "AccumulatingSchedule":
        schedule = keras.optimizers.schedules.deserialize(config["schedule"])
        return cls(schedule, config["accumulate"])


def learning_rates(
    name: str, learning_rate: float, warmup_steps: int, steps: int
) -> keras.optimizers.schedules.LearningRateSchedule:
    """Returns a learning rate schedule by name.

    Args:
        name: "noam" (inverse square root decay, independent of `steps`), "cosine" (cosine decay to
            a tenth of the peak at the last step), "linear" (linear decay to 0 at the last step) or
            "constant" (no decay).
        learning_rate: Peak learning rate.
        warmup_steps: Number of warmup steps.
        steps: Total number of steps.

    Returns:
        A Keras schedule.

    Raises:
        UserError: If the name is unknown.

    Example:
        >>> rates = learning_rates("noam", 0.001, warmup_steps=10, steps=110)
        >>> [round(float(rates(step)), 6) for step in (0, 9, 39)]
        [0.0001, 0.001, 0.0005]
    """
    if name == "noam":
        return NoamSchedule(1, warmup_steps, scale=learning_rate * warmup_steps**0.5)
    if name == "cosine":
        return cosine_schedule(learning_rate, warmup_steps, steps)
    if name == "linear":
        return LinearSchedule(learning_rate, warmup_steps, steps)
    if name == "constant":
        return ConstantSchedule(learning_rate, warmup_steps)
    raise UserError(f"schedule must be noam, cosine, linear or constant, got {name!r}")
