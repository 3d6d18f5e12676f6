"""Standardization of values by the mean and standard deviation of the training data."""

from typing import Any

import keras
import numpy as np
from keras import ops


@keras.saving.register_keras_serializable(package="keras_attn")
class Standardization(keras.layers.Layer):
    """Scales each channel by the mean and standard deviation of the training data.

    It computes in float32 under every dtype policy, since values may be large.

    Formula: `z = (x - m) / s`, and 0 where x is missing

    Inputs: `values` (..., C), NaN where missing.
    Outputs: Standardized values (..., C), and 1.0 where there is a value, 0.0 where it is missing
        (..., C).

    Example:
        >>> layer = Standardization()
        >>> layer.adapt([np.array([[1.0], [3.0], [float("nan")]])])
        >>> z, seen = layer(ops.convert_to_tensor([[5.0], [float("nan")]]))
        >>> [ops.convert_to_numpy(x).ravel().tolist() for x in (z, seen)]
        [[3.0, 0.0], [1.0, 0.0]]
    """

    def __init__(self, name: str | None = None, **kwargs: Any) -> None:
        super().__init__(name=name, dtype="float32", autocast=False)

    def build(self, values_shape: tuple) -> None:
        shape = values_shape[-1:]
        self.mean = self.add_weight(shape, "zeros", name="mean", trainable=False)
        self.scale = self.add_weight(shape, "ones", name="scale", trainable=False)

    def adapt(self, arrays: Any) -> None:
        """Sets the mean and the standard deviation; 0 and 1 for a channel without values.

        Args:
            arrays: Arrays (..., C), NaN where missing.
        """
        rows = [np.asarray(each, "float64") for each in arrays]
        every = np.concatenate([each.reshape(-1, each.shape[-1]) for each in rows])
        seen = ~np.isnan(every)
        count = np.maximum(seen.sum(axis=0), 1)
        mean = np.where(seen, every, 0).sum(axis=0) / count
        scale = np.sqrt((np.where(seen, every - mean, 0) ** 2).sum(axis=0) / count)
        if not self.built:
            self.build(every.shape)
        self.mean.assign(mean)
        self.scale.assign(np.where(scale > 0, scale, 1))

    def call(self, values: Any) -> tuple[Any, Any]:
        values = ops.cast(values, "float32")
        there = ops.logical_not(ops.isnan(values))
        z = ops.where(there, values - self.mean, 0.0) / self.scale
        return z, ops.cast(there, "float32")

    def get_config(self) -> dict[str, Any]:
        return {"name": self.name}
