"""Learned absolute position embeddings."""

from typing import Any, ClassVar

import keras
import numpy as np
from keras import ops

from keras_attn.checked import CheckedLayer


@keras.saving.register_keras_serializable(package="keras_attn")
class LearnedPositions(CheckedLayer):
    """Adds a learned embedding of each position to the input, up to a maximum length.

    Source: Gehring et al. 2017, section 3.1.
    Formula: `y_t = x_t + P[start_index + t]`

    Args:
        max_length: Number of positions L.
        embeddings_initializer: Initializer of P (L, D).

    Inputs: `x` (B, T, D), and optionally `start_index`, the position of the first element: an
        integer or a scalar tensor, such as when decoding with a cache, or a tensor (B,) with one
        per row.
    Outputs: (B, T, D).

    Raises:
        ValueError: If `max_length` is not positive, or the positions of `x` exceed it. If the
            length or the start is unknown until the model runs, positions beyond `max_length` have
            undefined results; with one start per row, padding there is fine.

    Example:
        >>> from keras import ops
        >>> from keras_attn import LearnedPositions
        >>> layer = LearnedPositions(max_length=13)
        >>> tuple(layer(ops.zeros((3, 5, 11)), start_index=8).shape)
        (3, 5, 11)
    """

    axes: ClassVar[dict[str, str]] = {"x": "... T D"}

    def __init__(
        self, max_length: int, embeddings_initializer: Any = "uniform", **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        if max_length < 1:
            raise ValueError(f"max_length must be a positive integer; received {max_length!r}.")
        self.max_length = max_length
        self.embeddings_initializer = keras.initializers.get(embeddings_initializer)
        self.supports_masking = True

    def build(self, x_shape: tuple) -> None:
        self._widths = {"x": x_shape[-1]}
        self.embeddings = self.add_weight(
            name="embeddings",
            shape=(self.max_length, x_shape[-1]),
            initializer=self.embeddings_initializer,
        )

    def call(self, x: Any, start_index: Any = 0) -> Any:
        self._check(x.shape[-2], start_index)
        length, start = ops.shape(x)[-2], ops.cast(start_index, "int32")
        if len(start.shape):
            positions = ops.expand_dims(start, 1) + ops.arange(length, dtype="int32")
            table = ops.take(self.embeddings, ops.clip(positions, 0, self.max_length - 1), axis=0)
        else:
            size = (length, x.shape[-1])
            table = ops.slice(ops.convert_to_tensor(self.embeddings), (start, 0), size)
        return x + ops.cast(table, x.dtype)

    def _check(self, length: int | None, start_index: Any) -> None:
        is_known = isinstance(length, int) and isinstance(start_index, int | np.integer)
        if is_known and start_index + length > self.max_length:
            raise ValueError(
                f"x must not exceed max_length = {self.max_length}; received {length} positions "
                f"starting at {start_index}."
            )

    def compute_output_shape(self, x_shape: tuple) -> tuple:
        return x_shape

    def compute_output_spec(self, x: Any, start_index: Any = 0) -> Any:
        self._check(x.shape[-2], start_index)
        return keras.KerasTensor(x.shape, self.compute_dtype)

    def get_config(self) -> dict[str, Any]:
        config = {
            "max_length": self.max_length,
            "embeddings_initializer": keras.initializers.serialize(self.embeddings_initializer),
        }
        return {**super().get_config(), **config}
