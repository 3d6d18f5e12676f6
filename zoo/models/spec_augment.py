"""SpecAugment: random masks on spectrograms."""

from dataclasses import dataclass
from typing import Any

import keras
from keras import ops


@dataclass(frozen=True)
class Masks:
    """How much `SpecAugment` masks.

    Args:
        time: Number of masks of times, and their maximum width in frames.
        frequency: Number of masks of frequencies, and their maximum width in bands.
    """

    time: tuple[int, int] = (0, 0)
    frequency: tuple[int, int] = (0, 0)


@keras.saving.register_keras_serializable(package="keras_attn")
class SpecAugment(keras.layers.Layer):
    """Sets random spans of times, and of frequencies, to zero during training.

    Each row has masks of its own. `masks` is set before training; without it, nothing is masked.

    Source: Park et al. 2019, section 2, without time warping.
    Formula: for each mask of times, `w = floor(u (W + 1))`, `t_0 = floor(v (T - w + 1))`, and
        y_t = 0 for `t_0 <= t < t_0 + w`, with u and v uniform on [0, 1), W the maximum width and T
        the number of frames of the row; likewise for frequencies

    Args:
        seed: Random seed.

    Inputs: `x` (B, T, K), zero on average, `lengths` (B,).
    Outputs: (B, T, K).

    Example:
        >>> layer = SpecAugment(seed=1)
        >>> layer.masks = Masks(time=(1, 3))
        >>> y = layer(ops.ones((50, 4, 2)), ops.full((50,), 4, "int32"), training=True)
        >>> sorted({int(x) for x in ops.sum(y[:, :, 0], axis=1)})
        [1, 2, 3, 4]
    """

    def __init__(self, seed: int | None = None, name: str | None = None, **kwargs: Any) -> None:
        super().__init__(name=name, dtype="float32", autocast=False)
        self.masks = Masks()
        self.seed_generator = keras.random.SeedGenerator(seed)

    def call(self, x: Any, lengths: Any, training: bool = False) -> Any:
        if not training:
            return x
        bands = ops.full_like(lengths, x.shape[-1])
        for axis, sizes, (count, width) in (
            (1, lengths, self.masks.time),
            (2, bands, self.masks.frequency),
        ):
            if count and width:
                x = ops.where(self._covered(x, axis, sizes, count, width), 0.0, x)
        return x

    def _covered(self, x: Any, axis: int, sizes: Any, count: int, width: int) -> Any:
        """Whether each position of an axis is under a mask, (B, T, 1) or (B, 1, K)."""
        shape = (2, ops.shape(x)[0], count)
        chosen = keras.random.uniform(shape, dtype="float32", seed=self.seed_generator)
        sizes = ops.cast(ops.expand_dims(sizes, -1), "float32")
        wide = ops.minimum(ops.floor(chosen[0] * (width + 1)), sizes)
        first = ops.floor(chosen[1] * (sizes - wide + 1))
        position = ops.arange(ops.shape(x)[axis], dtype="float32")
        first, wide = ops.expand_dims(first, 1), ops.expand_dims(wide, 1)
        position = ops.expand_dims(position, -1)
        under = ops.logical_and(position >= first, position < first + wide)
        return ops.expand_dims(ops.any(under, axis=-1), 3 - axis)

    def compute_output_shape(self, x_shape: tuple, lengths_shape: tuple) -> tuple:
        return x_shape

    def get_config(self) -> dict[str, Any]:
        return {"name": self.name}
