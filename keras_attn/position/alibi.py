"""Attention with linear biases (ALiBi): a penalty on scores that grows with the distance."""

import math
from typing import Any, ClassVar

import keras
import numpy as np
from keras import ops

from keras_attn.position.distances import distances
from keras_attn.position.scheme import PositionScheme, add_to_scores


@keras.saving.register_keras_serializable(package="keras_attn")
class AlibiBias(PositionScheme):
    """ALiBi: subtracts a penalty from each attention score that is linear in the distance.

    It has no weights and works for any length, also far beyond the training length. Pass it to
    `MultiHeadAttention(position=...)`; called directly, it adds the bias to scores. Keys after the
    query are penalized like those before it.

    Source: Press et al. 2022, section 3; the slopes for H that is not a power of two are those of
        the authors' code.
    Formula: `y[h, t, s] = x[h, t, s] - m_h |s - t|` with `m_h = 2 ** (-8 h / H)`, h = 1 ... H; if H
        is not a power of two, the slopes for P heads, P being the next lower power of two, followed
        by every other slope for 2 P heads

    Args:
        **kwargs: Keyword arguments of `keras.layers.Layer`.

    Inputs: `scores` (B, H, T, S), and optionally `start_index`, the position of the first query, an
        integer or a scalar tensor; the first key is at position 0.
    Outputs: (B, H, T, S), float32 under every dtype policy.

    Raises:
        ValueError: If a keyword argument is not one of `keras.layers.Layer`.

    Example:
        >>> from keras import ops
        >>> from keras_attn import AlibiBias
        >>> ops.convert_to_numpy(AlibiBias()(ops.zeros((1, 1, 1, 3)), start_index=2)).tolist()
        [[[[-0.0078125, -0.00390625, 0.0]]]]
    """

    axes: ClassVar[dict[str, str]] = {"scores": "B H T S"}

    def call(self, scores: Any, start_index: Any = 0) -> Any:
        heads, (query_length, key_length) = scores.shape[-3], ops.shape(scores)[-2:]
        distance = ops.abs(distances(query_length, key_length, start_index))
        slopes = np.reshape(alibi_slopes(heads), (-1, 1, 1)).astype("float32")
        return add_to_scores(scores, ops.cast(distance, "float32") * -slopes)

    can_make_negative = True

    def compare(self, score: Any, query: Any, prepared: Any, offset: Any) -> Any:
        return self.call(super().compare(score, query, prepared, offset), offset)

    def compute_output_shape(self, input_shape: tuple) -> tuple:
        return input_shape

    def compute_output_spec(self, scores: Any, start_index: Any = 0) -> Any:
        return keras.KerasTensor(scores.shape, dtype="float32")


def alibi_slopes(num_heads: int) -> np.ndarray:
    """The ALiBi slope of each head.

    Source: Press et al. 2022, section 3.
    Formula: `m_h = 2 ** (-8 h / H)`, h = 1 ... H; if H is not a power of two, the slopes for P
        heads, P being the next lower power of two, followed by every other slope for 2 P heads

    Args:
        num_heads: Number of heads H.

    Returns:
        NumPy array (H,).

    Example:
        >>> alibi_slopes(2).tolist(), alibi_slopes(3).tolist()
        ([0.0625, 0.00390625], [0.0625, 0.00390625, 0.25])
    """
    power = 2 ** math.floor(math.log2(num_heads))
    slopes = 2.0 ** (-8 * np.arange(1, power + 1) / power)
    if power == num_heads:
        return slopes
    return np.concatenate([slopes, alibi_slopes(2 * power)[::2][: num_heads - power]])
