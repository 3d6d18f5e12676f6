"""A penalty on scores that grows with the distance."""

import math
from typing import Any

import keras
import numpy as np
from keras import ops

from keras_attn.position.distances import distances
from keras_attn.position.scheme import PositionScheme, add_to_scores


@keras.saving.register_keras_serializable(package="keras_attn")
class AlibiBias(PositionScheme):
    """Takes from each score the distance of its query and key, times a slope of the head.

    No weights, any length, also far beyond those of training. Give it to
    `MultiHeadAttention(position=...)`; called by itself it changes scores. Keys after the query
    lose as much as those before it.

    Source: Press et al. 2022, section 3; the slopes where H is no power of two are those of the
    authors' code.
    Formula: `y[h, t, s] = x[h, t, s] - m_h |s - t|` with `m_h = 2 ** (-8 h / H)`, h = 1 ... H;
    where H is no power of two, the slopes of the power P below it, then every other one of 2 P's

    Args:
        **kwargs: Those of `keras.layers.Layer`.

    Inputs: `scores` (B, H, T, S), and optionally `start_index`, the position of the first query:
        an integer or a scalar tensor; the first key is at 0.
    Outputs: (B, H, T, S), float32 under every dtype policy.

    Raises:
        ValueError: Never by itself.

    Example:
        >>> ops.convert_to_numpy(AlibiBias()(ops.zeros((1, 1, 1, 3)), start_index=2)).tolist()
        [[[[-0.0078125, -0.00390625, 0.0]]]]
    """

    def call(self, scores: Any, start_index: Any = 0) -> Any:
        heads, (query_length, key_length) = scores.shape[-3], ops.shape(scores)[-2:]
        distance = ops.abs(distances(query_length, key_length, start_index))
        slopes = np.reshape(alibi_slopes(heads), (-1, 1, 1)).astype("float32")
        return add_to_scores(scores, ops.cast(distance, "float32") * -slopes)

    def compare(self, score: Any, query: Any, prepared: Any, offset: Any) -> Any:
        return self.call(super().compare(score, query, prepared, offset), offset)

    def compute_output_spec(self, scores: Any, start_index: Any = 0) -> Any:
        return keras.KerasTensor(scores.shape, dtype="float32")


def alibi_slopes(num_heads: int) -> np.ndarray:
    """The slope of each head.

    Source: Press et al. 2022, section 3.
    Formula: `m_h = 2 ** (-8 h / H)`, h = 1 ... H; where H is no power of two, the slopes of the
    power P below it, then every other one of 2 P's

    Args:
        num_heads: Number of heads H.

    Outputs: NumPy array (H,).

    Example:
        >>> alibi_slopes(2).tolist(), alibi_slopes(3).tolist()
        ([0.0625, 0.00390625], [0.0625, 0.00390625, 0.25])
    """
    power = 2 ** math.floor(math.log2(num_heads))
    slopes = 2.0 ** (-8 * np.arange(1, power + 1) / power)
    if power == num_heads:
        return slopes
    return np.concatenate([slopes, alibi_slopes(2 * power)[::2][: num_heads - power]])
