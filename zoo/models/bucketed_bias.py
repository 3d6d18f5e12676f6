"""A learned bias of attention scores by the bucket of the distance, as in T5 and MPNet."""

import math
from typing import Any, ClassVar

import keras
import numpy as np
from keras import ops

from keras_attn.position.distances import distances
from keras_attn.position.scheme import PositionScheme, add_to_scores


@keras.saving.register_keras_serializable(package="keras_attn")
class BucketedBias(PositionScheme):
    """Adds a learned bias to the attention scores, one for each head and bucket of distances.

    Half of the buckets are of keys after the query, unless there are none. Small distances have a
    bucket each, larger ones share buckets that grow with the logarithm of the distance, and the
    last one is of all others.
    Several attentions may share one layer, and so its weights.

    Source: Raffel et al. 2020, section 2.1 and the released code; Song et al. 2020 for MPNet,
        whose layers share the bias.
    Formula: `y[h, t, s] = x[h, t, s] + W[b(s - t), h]`, `b(d) = n [d > 0] + min(n - 1, c(|d|))`, n
        being half of the buckets; `c(a) = a` for `a < m = n // 2`, otherwise
        `floor(m + (n - m) log(a / m) / log(max_distance / m))`; with `causal` n is the number of
        all buckets, and later keys have the bucket 0

    Args:
        num_buckets: Number of buckets, even and at least 4.
        max_distance: Distance from which on all have one bucket; more than `num_buckets // 4`, or
            half of the buckets with `causal`.
        initializer: Initializer of the biases.
        causal: Whether there are no buckets for keys after the query, as in decoders.

    Inputs: `scores` (B, H, T, S), and optionally `start_index`, the position of the first query, an
        integer or a scalar tensor; the first key is at position 0.
    Outputs: (B, H, T, S), float32 under every dtype policy.

    Raises:
        ValueError: If there are too few buckets, or the maximum distance is too small.

    Example:
        >>> layer = BucketedBias(8, 16, "ones")
        >>> ops.convert_to_numpy(layer(ops.zeros((1, 2, 1, 3)))).tolist()
        [[[[1.0, 1.0, 1.0]], [[1.0, 1.0, 1.0]]]]
    """

    axes: ClassVar[dict[str, str]] = {"scores": "B H T S"}
    can_make_negative = True

    def __init__(
        self,
        num_buckets: int = 32,
        max_distance: int = 128,
        initializer: Any = "zeros",
        causal: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.causal = causal
        if num_buckets < 4 or num_buckets % 2:
            raise ValueError(f"num_buckets must be even and at least 4; received {num_buckets}.")
        least, part = (num_buckets // 2, "half") if causal else (num_buckets // 4, "a quarter")
        if max_distance <= least:
            raise ValueError(
                f"max_distance must be more than {part} of num_buckets={num_buckets}; received "
                f"{max_distance}."
            )
        self.num_buckets, self.max_distance = num_buckets, max_distance
        self.initializer = keras.initializers.get(initializer)

    def build(self, scores_shape: tuple) -> None:
        self.build_heads((None, scores_shape[-3], None, None), ())

    def build_heads(self, query_shape: tuple, value_shape: tuple) -> None:
        if not self.weights:  # which another attention may have done
            shape = (self.num_buckets, query_shape[1])
            self.biases = self.add_weight(shape, self.initializer, name="biases")
            self.built = True

    def call(self, scores: Any, start_index: Any = 0) -> Any:
        query_length, key_length = ops.shape(scores)[-2:]
        distance = distances(query_length, key_length, start_index)
        both = 2 * self.num_buckets if self.causal else self.num_buckets
        table = ops.convert_to_tensor(buckets(both, self.max_distance))
        if self.causal:
            distance = ops.minimum(distance, 0)
        bucket = ops.take(table, ops.minimum(ops.abs(distance), self.max_distance))
        if not self.causal:
            bucket = bucket + ops.cast(distance > 0, "int32") * (self.num_buckets // 2)
        bias = ops.take(ops.cast(self.biases, "float32"), bucket, axis=0)
        return add_to_scores(scores, ops.transpose(bias, (2, 0, 1)))

    def compare(self, score: Any, query: Any, prepared: Any, offset: Any) -> Any:
        return self.call(super().compare(score, query, prepared, offset), offset)

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "num_buckets": self.num_buckets,
            "max_distance": self.max_distance,
            "initializer": keras.initializers.serialize(self.initializer),
            "causal": self.causal,
        }

    def compute_output_shape(self, input_shape: tuple) -> tuple:
        return input_shape

    def compute_output_spec(self, scores: Any, start_index: Any = 0) -> Any:
        return keras.KerasTensor(scores.shape, dtype="float32")


def buckets(num_buckets: int, max_distance: int) -> np.ndarray:
    """The bucket of each distance from 0 to the maximum, int32, of keys that are not later.

    In float32, in which others compute it too: the floor depends on the precision.

    Example:
        >>> buckets(8, 12).tolist()
        [0, 1, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3]
    """
    half = num_buckets // 2
    exact = half // 2
    distance = np.arange(max_distance + 1)
    far = np.log(np.maximum(distance, 1).astype("float32") / np.float32(exact))
    far = far / np.float32(math.log(max_distance / exact)) * np.float32(half - exact)
    bucket = np.where(distance < exact, distance, exact + far.astype("int32"))
    return np.minimum(bucket, half - 1).astype("int32")
