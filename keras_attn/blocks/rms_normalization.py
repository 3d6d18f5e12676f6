"""Root mean square normalization."""

from typing import Any, ClassVar

import keras
from keras import ops

from keras_attn.checked import CheckedLayer


@keras.saving.register_keras_serializable(package="keras_attn")
class RMSNormalization(CheckedLayer, keras.layers.RMSNormalization):
    """Root mean square normalization; replaces `keras.layers.RMSNormalization` unchanged.

    It is computed in float32 under every dtype policy, and exports to LiteRT.

    Source: Zhang & Sennrich 2019, equation 4.
    Formula: `y = x g / sqrt(mean(x^2) + epsilon)`

    Args:
        axis: Axis, or axes, over which the mean is taken.
        epsilon: Number added to the mean of the squares.

    Inputs: `x` (..., D). Weights: the scale g (D,).
    Outputs: (..., D).

    Raises:
        ValueError: If `epsilon` is negative, or the input is not a float tensor.

    Example:
        >>> from keras import ops
        >>> from keras_attn import RMSNormalization
        >>> x = ops.convert_to_tensor([[1.0, 7.0]])
        >>> y = RMSNormalization(epsilon=0.0)(x)
        >>> [round(float(each), 4) for each in y[0]]
        [0.2, 1.4]
    """

    axes: ClassVar[dict[str, str]] = {"x": "..."}

    def __init__(self, axis: Any = -1, epsilon: float = 1e-6, **kwargs: Any) -> None:
        if epsilon < 0:
            raise ValueError(f"epsilon must be 0 or greater; received {epsilon!r}.")
        super().__init__(axis=axis, epsilon=epsilon, **kwargs)
        self.supports_masking = True

    def call(self, x: Any) -> Any:
        wide = ops.cast(x, "float32")
        axes = [axis % len(x.shape) for axis in self.axis]
        sizes = [size if axis in axes else 1 for axis, size in enumerate(x.shape)]
        scale = ops.reshape(ops.cast(self.scale, "float32"), sizes)
        mean = ops.mean(ops.square(wide), axis=axes, keepdims=True)
        # The converter to LiteRT would move a scale that is applied last into the next matrix.
        return ops.cast(wide * scale * ops.rsqrt(mean + self.epsilon), x.dtype)
