"""Rotary position embeddings (RoPE)."""

from collections.abc import Mapping
from typing import Any, ClassVar

import keras
import numpy as np
from keras import ops

from keras_attn.position.angles import angles_at
from keras_attn.position.scaling import scaling_of
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
        scaling: Change of the frequencies for longer texts: a dictionary with the keys of Hugging
            Face's `rope_parameters`, such as `{"rope_type": "linear", "factor": 2.0}`; see
            `keras_attn.position.scaling`. Defaults to none.

    Inputs: `x` (..., T, K), queries or keys, and optionally `start_index`, the position of the
        first element, an integer or a scalar tensor.
    Outputs: (..., T, K).

    Raises:
        ValueError: If `layout` is unknown, `max_wavelength` is not positive, K is odd, or `scaling`
            is not valid.

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
        self,
        layout: str = "interleaved",
        max_wavelength: float = 10000,
        scaling: Mapping[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        if layout not in LAYOUTS:
            raise ValueError(f"layout must be one of {', '.join(LAYOUTS)}; received {layout!r}.")
        if max_wavelength <= 0:
            raise ValueError(f"max_wavelength must be positive; received {max_wavelength!r}.")
        self.layout = layout
        self.max_wavelength = max_wavelength
        self._scaling_config = None if scaling is None else dict(scaling)
        self._scaling = scaling_of(scaling)

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
        frequencies = self.max_wavelength ** (-2.0 * np.arange(width // 2) / width)
        if self._scaling is not None:
            frequencies = self._scaling.scaled(frequencies, self.max_wavelength)
        angle = ops.expand_dims(angles_at(frequencies, length, start_index), pair)
        cos, sin = ops.cos(angle), ops.sin(angle)
        if self._scaling is not None and self._scaling.magnitude != 1:
            cos, sin = cos * self._scaling.magnitude, sin * self._scaling.magnitude
        y = ops.concatenate([a * cos - b * sin, b * cos + a * sin], axis=pair)
        return ops.cast(ops.reshape(y, (*leading, length, width)), x.dtype)

    def call(self, x: Any, start_index: Any = 0) -> Any:
        return self.place(x, start_index)

    def compute_output_shape(self, input_shape: tuple) -> tuple:
        return input_shape

    def get_config(self) -> dict[str, Any]:
        config: dict[str, Any] = {"layout": self.layout, "max_wavelength": self.max_wavelength}
        if self._scaling_config is not None:
            config["scaling"] = dict(self._scaling_config)
        return {**super().get_config(), **config}


def _check_even(width: int) -> None:
    if width % 2:
        raise ValueError(f"RotaryPositions requires heads of even width; received {width}.")
