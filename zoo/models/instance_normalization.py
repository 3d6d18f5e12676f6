"""Normalization of each series by its own mean and standard deviation."""

from typing import Any

import keras
from keras import ops

SMALLEST = 1e-6  # of a standard deviation, relative to the mean


@keras.saving.register_keras_serializable(package="keras_attn")
class InstanceNormalization(keras.layers.Layer):
    """Scales each channel of each series by the mean and standard deviation of its values.

    It computes in float32 under every dtype policy, since values may be large.

    Source: Kim et al. 2022, equation 1, without the affine part.
    Formula: `z_t = (x_t - m) / s` with `m = mean_t x_t`, `s = sqrt(mean_t (x_t - m)^2)` over t that
        are not missing, and z_t = 0 where x_t is missing; s is |m| if values are constant, and 1 if
        they are 0 or all missing.

    Inputs: `values` (B, T, C), NaN where missing.
    Outputs: Normalized values (B, T, C), 1.0 where there is a value and 0.0 where it is missing
        (B, T, C), mean and scale (B, 1, C).

    Example:
        >>> values = ops.convert_to_tensor([[[1.0], [float("nan")], [3.0]]])
        >>> z, seen, mean, scale = InstanceNormalization()(values)
        >>> [ops.convert_to_numpy(x).ravel().tolist() for x in (z, seen, mean, scale)]
        [[-1.0, 0.0, 1.0], [1.0, 0.0, 1.0], [2.0], [1.0]]
    """

    def __init__(self, name: str | None = None, **kwargs: Any) -> None:
        super().__init__(name=name, dtype="float32", autocast=False)

    def call(self, values: Any) -> tuple[Any, Any, Any, Any]:
        values = ops.cast(values, "float32")
        there = ops.logical_not(ops.isnan(values))
        seen = ops.cast(there, "float32")
        x = ops.where(there, values, 0.0)
        count = ops.maximum(ops.sum(seen, axis=1, keepdims=True), 1.0)
        mean = ops.sum(x, axis=1, keepdims=True) / count
        distance = ops.where(there, x - mean, 0.0)
        variance = ops.sum(distance * distance, axis=1, keepdims=True) / count
        spread, size = ops.sqrt(variance), ops.abs(mean)
        constant = ops.where(size > 0.0, size, 1.0)
        scale = ops.where(spread > SMALLEST * size, spread, constant)
        return distance / scale, seen, mean, scale

    def get_config(self) -> dict[str, Any]:
        return {"name": self.name}


@keras.saving.register_keras_serializable(package="keras_attn")
class Restoration(keras.layers.Layer):
    """Brings normalized quantiles back to the unit of the series, in float32.

    Source: Kim et al. 2022, equation 2, without the affine part.
    Formula: `m + s z`

    Inputs: Normalized quantiles (B, T, C, Q), mean and scale (B, 1, C).
    Outputs: Quantiles (B, T, C, Q).

    Example:
        >>> z, one = ops.full((1, 3, 1, 1), 5.0), ops.ones((1, 1, 1))
        >>> ops.convert_to_numpy(Restoration()(z, 7 * one, 2 * one)).ravel().tolist()
        [17.0, 17.0, 17.0]
    """

    def __init__(self, name: str | None = None, **kwargs: Any) -> None:
        super().__init__(name=name, dtype="float32", autocast=False)

    def call(self, z: Any, mean: Any, scale: Any) -> Any:
        return ops.expand_dims(mean, -1) + ops.expand_dims(scale, -1) * z

    def get_config(self) -> dict[str, Any]:
        return {"name": self.name}
