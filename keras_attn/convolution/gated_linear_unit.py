"""The gated linear unit."""

from collections.abc import Callable
from typing import Any, ClassVar

import keras
from keras import ops

from keras_attn.checked import CheckedLayer


@keras.saving.register_keras_serializable(package="keras_attn")
class GatedLinearUnit(CheckedLayer):
    """Gated linear unit (GLU): one half of the features, gated by the sigmoid of the other half.

    Source: Dauphin et al. 2017, equation 1; Gehring et al. 2017, section 3.2.
    Formula: `v([A B]) = A * sigmoid(B)`

    Inputs: `x` (..., 2D).
    Outputs: (..., D).

    Raises:
        ValueError: If the size of the last axis of `x` is odd.

    Example:
        >>> from keras import ops
        >>> from keras_attn import GatedLinearUnit
        >>> x = ops.array([[2.0, 4.0, 0.0, 99.0]])
        >>> ops.convert_to_numpy(GatedLinearUnit()(x)).tolist()
        [[1.0, 4.0]]
    """

    axes: ClassVar[dict[str, str]] = {"x": "... D"}

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.supports_masking = True

    def check(self, given: dict[str, Any]) -> None:
        super().check(given)
        if "x" in given and given["x"].shape[-1] % 2:
            size = given["x"].shape[-1]
            raise ValueError(f"x must have a last axis of even size; received {size}.")

    def call(self, x: Any) -> Any:
        return gated(x)

    def compute_output_shape(self, input_shape: tuple) -> tuple:
        return (*input_shape[:-1], input_shape[-1] // 2)


def gated(x: Any, activation: Callable[[Any], Any] = ops.sigmoid) -> Any:
    """Multiplies the first half of the features by the activation of the second half.

    Example:
        >>> ops.convert_to_numpy(gated(ops.array([[2.0, 4.0, 0.0, 99.0]]))).tolist()
        [[1.0, 4.0]]
    """
    value, gate = ops.split(x, 2, axis=-1)
    return value * activation(gate)
