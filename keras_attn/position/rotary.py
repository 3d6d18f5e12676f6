"""Rotary position embeddings (RoPE)."""

from typing import Any, ClassVar

import keras
import numpy as np
from keras import ops

from keras_attn.position.angles import angles
from keras_attn.position.scheme import PositionScheme
from keras_attn.position.sinusoidal import LAYOUTS


@keras.saving.register_keras_serializable(package="keras_attn")
class RotaryPositions(PositionScheme):
    """Rotary position embeddings (RoPE): rotates queries and keys by their positions.

    The dot product of a query and a key then depends on their relative distance. The layer has no
    weights and works for any length. Pass it to `MultiHeadAttention(position=...)`; called
    directly, it rotates one tensor. Angles and products are computed in float32 under every dtype
    policy.

    Source: Su et al. 2021, section 3.2.2, equation 34.
    Formula: with `angle_s(t) = t / max_wavelength ** (2 s / K)`, the pair s of features (a, b) at
        position t becomes `(a cos - b sin, b cos + a sin)`. The layout defines the pairs: 2s and 2s
        + 1 with "interleaved", s and s + K / 2 with "halves".

    Args:
        layout: "interleaved" (as in the paper) or "halves" (as in GPT-NeoX and Llama).
        max_wavelength: Ratio of the longest wavelength to the shortest.

    Inputs: `x` (..., T, K), queries or keys, and optionally `start_index`, the position of the
        first element, an integer or a scalar tensor.
    Outputs: (..., T, K).

    Raises:
        ValueError: If `layout` is unknown, `max_wavelength` is not positive, or K is odd.

    Example:
        >>> from keras import ops
        >>> from keras_attn import RotaryPositions
        >>> layer = RotaryPositions(max_wavelength=1)  # rotates by 1 radian per position
        >>> y = layer(ops.array([[1.0, 0.0], [1.0, 0.0]]))
        >>> ops.convert_to_numpy(y).round(2).astype(str).tolist()
        [['1.0', '0.0'], ['0.54', '0.84']]
    """

    axes: ClassVar[dict[str, str]] = {"x": "... T K"}

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

    def build_heads(self, query_shape: tuple, value_shape: tuple) -> None:
        _check_even(query_shape[-1])

    def place(self, x: Any, start_index: Any) -> Any:
        *leading, length, _ = ops.shape(x)
        width = x.shape[-1]
        _check_even(width)
        pair = -1 if self.layout == "interleaved" else -2  # the axis of a and b
        in_pairs = (width // 2, 2) if pair == -1 else (2, width // 2)
        wide = ops.reshape(ops.cast(x, "float32"), (*leading, length, *in_pairs))
        a, b = ops.split(wide, 2, axis=pair)
        angle = angles(np.arange(width // 2), width, self.max_wavelength, length, start_index)
        angle = ops.expand_dims(angle, pair)
        cos, sin = ops.cos(angle), ops.sin(angle)
        y = ops.concatenate([a * cos - b * sin, b * cos + a * sin], axis=pair)
        return ops.cast(ops.reshape(y, (*leading, length, width)), x.dtype)

    def call(self, x: Any, start_index: Any = 0) -> Any:
        return self.place(x, start_index)

    def compute_output_shape(self, input_shape: tuple) -> tuple:
        return input_shape

    def get_config(self) -> dict[str, Any]:
        config = {"layout": self.layout, "max_wavelength": self.max_wavelength}
        return {**super().get_config(), **config}


def _check_even(width: int) -> None:
    if width % 2:
        raise ValueError(f"RotaryPositions requires heads of even width; received {width}.")
