"""Sinusoidal absolute position encodings."""

from typing import Any, ClassVar

import keras
import numpy as np
from keras import ops

from keras_attn.checked import CheckedLayer
from keras_attn.position.angles import angles

LAYOUTS = ("interleaved", "halves")


@keras.saving.register_keras_serializable(package="keras_attn")
class SinusoidalPositions(CheckedLayer):
    """Adds fixed sinusoidal position encodings to the input; no weights, any length.

    The encodings are computed in float32 under every dtype policy, because bfloat16 cannot
    distinguish position 257 from 256.

    Source: Vaswani et al. 2017, section 3.5.
    Formula: with `angle_s(t) = t / max_wavelength ** (2 s / D)`, feature 2s of position t is
        `sin(angle_s(t))` and feature 2s + 1 is `cos(angle_s(t))`. The layout "halves" has the same
        values, all sines first and then all cosines. If D is odd, there is one more sine.

    Args:
        layout: "interleaved" (sines and cosines alternate) or "halves" (sines, then cosines).
        max_wavelength: Ratio of the longest wavelength to the shortest.

    Inputs: `x` (B, T, D), and optionally `start_index`, the position of the first element: an
        integer or a scalar tensor, such as when decoding with a cache, or a tensor (B,) with one
        per row.
    Outputs: (B, T, D), in the compute dtype of the layer.

    Raises:
        ValueError: If `layout` is unknown, or `max_wavelength` is not positive.

    Example:
        >>> from keras import ops
        >>> from keras_attn import SinusoidalPositions
        >>> layer = SinusoidalPositions()
        >>> ops.convert_to_numpy(layer.encode(2, 4)).round(2).astype(str).tolist()
        [['0.0', '1.0', '0.0', '1.0'], ['0.84', '0.54', '0.01', '1.0']]
        >>> tuple(layer(ops.zeros((3, 5, 4)), start_index=7).shape)
        (3, 5, 4)
    """

    axes: ClassVar[dict[str, str]] = {"x": "... T D"}

    def __init__(
        self, layout: str = "interleaved", max_wavelength: float = 10000, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        if layout not in LAYOUTS:
            raise ValueError(f"layout must be one of {', '.join(LAYOUTS)}; received {layout!r}.")
        if max_wavelength <= 0:
            raise ValueError(f"max_wavelength must be positive; received {max_wavelength!r}.")
        self.layout = layout
        self.max_wavelength = max_wavelength
        self.supports_masking = True

    def call(self, x: Any, start_index: Any = 0) -> Any:
        table = self.encode(ops.shape(x)[-2], x.shape[-1], start_index)
        return ops.cast(ops.cast(x, "float32") + table, self.compute_dtype)

    def encode(self, length: Any, width: int, start_index: Any = 0) -> Any:
        """Returns the position encodings that `call` adds.

        Args:
            length: Number of positions, an integer or a scalar tensor.
            width: Number of features D.
            start_index: Position of the first row.

        Returns:
            float32 tensor (length, width), or (B, length, width) with one start per row.
        """
        wave, is_sine = self._waves(width)
        angle = angles(wave, width, self.max_wavelength, length, start_index)
        return ops.where(is_sine, ops.sin(angle), ops.cos(angle))

    def _waves(self, width: int) -> tuple[np.ndarray, np.ndarray]:
        """The index of the sinusoid of each feature and whether it is a sine, both (D,)."""
        feature = np.arange(width)
        if self.layout == "interleaved":
            return feature // 2, feature % 2 == 0
        sines = (width + 1) // 2
        return np.where(feature < sines, feature, feature - sines), feature < sines

    def compute_output_shape(self, input_shape: tuple) -> tuple:
        return input_shape

    def get_config(self) -> dict[str, Any]:
        config = {"layout": self.layout, "max_wavelength": self.max_wavelength}
        return {**super().get_config(), **config}
