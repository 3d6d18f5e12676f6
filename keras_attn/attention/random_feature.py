"""Random feature attention: softmax attention approximated in linear time."""

import math
from typing import Any

import keras
import numpy as np
from keras import ops

from keras_attn.attention.arguments import check_sizes
from keras_attn.attention.linear import LinearAttention
from keras_attn.functional.dense import dense

# Upper limit of exponents, so that sums over any length stay finite in float32. Heads of up to 120
# features are unlikely to reach it.
GREATEST = 60.0


@keras.saving.register_keras_serializable(package="keras_attn")
class RandomFeatureAttention(LinearAttention):
    """Approximates `MultiHeadAttention` in O(n) time with positive orthogonal random features.

    It is the attention of the Performer (FAVOR+). The rows of F are Gaussian, and orthogonal in
    blocks of K, which reduces the variance of the approximation. They are drawn once, from the
    seed, and are not trained. The error falls with the square root of the number of features, and
    rises steeply with the norms of queries and keys. Masks, decoding and float32 sums are as in
    `LinearAttention`.

    Source: Choromanski et al. 2021, lemma 1 (positive features) and section 2.4 (orthogonal ones).
    Formula: in each head `c_t = f(q_t) sum_s f(k_s) v_s / (f(q_t) . sum_s f(k_s))` with
        `f(x) = exp(F y - |y|^2 / 2) / sqrt(M)` and `y = x / K^(1/4)`, so that the mean of
        `f(q) . f(k)` over random F is `exp(q . k / sqrt(K))`

    Args:
        num_heads: Number of heads H.
        key_dim: Size K of each head.
        num_features: Number of random features M of each head.
        seed: Integer seed of the random features.
        use_bias: Whether the projections have biases.
        output_shape: Width of the output. Defaults to the width of the query.
        kernel_initializer: Initializer of the projection kernels.
        output_kernel_initializer: Initializer of the kernel of the output projection. Defaults to
            `kernel_initializer`.

    Inputs: As for `LinearAttention`. Weights: those of `MultiHeadAttention`, which can be copied
        unchanged, followed by F (K, M), not trainable.
    Outputs: (B, T, output_shape).

    Raises:
        ValueError: If a size is not positive, or `use_causal_mask` is set and T and S differ.

    Example:
        >>> from keras import ops
        >>> from keras_attn import RandomFeatureAttention
        >>> layer = RandomFeatureAttention(num_heads=2, key_dim=7, num_features=13)
        >>> x = ops.ones((3, 5, 11))
        >>> tuple(layer(x, x, use_causal_mask=True).shape), tuple(layer.initial_cache(3).shape)
        ((3, 5, 11), (3, 2, 13, 8))
    """

    def __init__(
        self,
        num_heads: int,
        key_dim: int,
        num_features: int = 256,
        seed: int = 0,
        use_bias: bool = True,
        output_shape: int | None = None,
        kernel_initializer: Any = "glorot_uniform",
        output_kernel_initializer: Any = None,
        **kwargs: Any,
    ) -> None:
        initializers = (kernel_initializer, output_kernel_initializer)
        super().__init__(num_heads, key_dim, use_bias, output_shape, *initializers, **kwargs)
        check_sizes(num_features=num_features)
        self.seed = seed
        self._num_features = num_features

    @property
    def num_features(self) -> int:
        """Number of features M of each head."""
        return self._num_features

    def build(self, query_shape: tuple, value_shape: tuple, key_shape: tuple | None = None) -> None:
        super().build(query_shape, value_shape, key_shape)
        # Created last, so that its weight comes after those of the projections.
        self._directions = _Directions(
            self.num_features, self.seed, dtype="float32", name="directions"
        )
        self._directions.build((self.key_dim,))

    def query_features(self, x: Any) -> Any:
        exponents = self._directions(x * self.key_dim**-0.25)
        # A factor common to all features of a query cancels: its norm is omitted, and the greatest
        # exponent becomes zero.
        greatest = ops.max(exponents, axis=-1, keepdims=True, initial=-math.inf)
        return ops.exp(exponents - ops.stop_gradient(greatest))

    def key_features(self, x: Any) -> Any:
        # Subtract nothing that depends on other keys: a decoding step does not know them.
        x = x * self.key_dim**-0.25
        exponents = self._directions(x) - ops.sum(x * x, axis=-1, keepdims=True) / 2.0
        return ops.exp(ops.minimum(exponents, GREATEST))

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "num_features": self.num_features, "seed": self.seed}


class _Directions(keras.layers.Layer):
    """Product with fixed random directions: (..., K) to (..., M)."""

    def __init__(self, count: int, seed: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.count = count
        self.seed = seed

    def build(self, x_shape: tuple) -> None:
        self.directions = self.add_weight(
            name="directions",
            shape=(x_shape[-1], self.count),
            initializer=lambda shape, dtype=None: ops.convert_to_tensor(
                orthogonal_gaussian(shape[0], shape[1], self.seed), dtype
            ),
            trainable=False,
        )

    def call(self, x: Any) -> Any:
        return dense(x, self.directions)


def orthogonal_gaussian(width: int, count: int, seed: int) -> np.ndarray:
    """Draws columns that are Gaussian, and orthogonal in blocks of `width`.

    Source: Choromanski et al. 2021, section 2.4; Yu et al. 2016, section 3.
    Formula: `Q diag(n)`, Q uniformly random and orthogonal, n the norms of Gaussian vectors

    Args:
        width: Size of a column.
        count: Number of columns.
        seed: Integer seed.

    Returns:
        float64 array (width, count).

    Example:
        >>> columns = orthogonal_gaussian(3, 5, seed=0)
        >>> columns.shape, bool(abs(columns[:, 0] @ columns[:, 1]) < 1e-9)
        ((3, 5), True)
    """
    random = np.random.default_rng(seed)
    blocks = []
    for _ in range(0, count, width):
        q, r = np.linalg.qr(random.normal(size=(width, width)))
        q = q * np.sign(np.diag(r))  # otherwise the signs would not be random
        blocks.append(q * np.linalg.norm(random.normal(size=(width, width)), axis=0))
    return np.concatenate(blocks, axis=1)[:, :count]
