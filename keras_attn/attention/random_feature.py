"""The softmax's attention in linear time, approximated by random features."""

from typing import Any

import keras
import numpy as np
from keras import ops

from keras_attn.attention.arguments import check_sizes
from keras_attn.attention.linear import LinearAttention
from keras_attn.functional.dense import dense

# Exponents are cut off here, so that sums over any length stay float32 numbers. In heads up to 120
# wide no exponent is likely to come near.
GREATEST = 60.0


@keras.saving.register_keras_serializable(package="keras_attn")
class RandomFeatureAttention(LinearAttention):
    """`MultiHeadAttention` approximated in O(n) time, by positive and orthogonal random features.

    Source: Choromanski et al. 2021, lemma 1 (positive features) and section 2.4 (orthogonal ones).
    Formula: in each head `c_t = f(q_t) sum_s f(k_s) v_s / (f(q_t) . sum_s f(k_s))` with
        `f(x) = exp(F y - |y|^2 / 2) / sqrt(M)` and `y = x / K^(1/4)`, so that the mean of
        `f(q) . f(k)` over random F is `exp(q . k / sqrt(K))`

    Rows of F are Gaussian, and orthogonal to one another in blocks of K, which makes the
    approximation vary less. They are drawn once, from the seed, and are not trained; the error
    falls with the square root of the number of features, and rises steeply with the length of
    queries and keys. Masks, decoding and the float32 sums are those of `LinearAttention`.

    Args:
        num_heads: Number of heads H.
        key_dim: Width K of one head.
        num_features: Number M of features for each head.
        seed: Integer from which the features are drawn.
        use_bias: Whether the projections have biases.
        output_shape: Width of the output; that of the query by default.
        kernel_initializer: Initializer of the kernels.

    Inputs: As those of `LinearAttention`. Weights: those of `MultiHeadAttention`, which may be
        taken over as they are, and after them F (K, M), not trainable.
    Outputs: (B, T, output_shape).

    Raises:
        ValueError: If a size is not positive, or use_causal_mask is set where T and S differ.

    Example:
        >>> layer = RandomFeatureAttention(num_heads=2, key_dim=7, num_features=13)
        >>> x = ops.ones((3, 5, 11))
        >>> tuple(layer(x, x, use_causal_mask=True).shape), tuple(layer.initial_state(3).shape)
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
        **kwargs: Any,
    ) -> None:
        super().__init__(num_heads, key_dim, use_bias, output_shape, kernel_initializer, **kwargs)
        check_sizes(num_features=num_features)
        self.seed = seed
        self._num_features = num_features

    @property
    def num_features(self) -> int:
        """Features of each head's queries and keys."""
        return self._num_features

    def build(self, query_shape: tuple, value_shape: tuple, key_shape: tuple | None = None) -> None:
        super().build(query_shape, value_shape, key_shape)
        # A layer of its own, made last, so that its weight comes after the projections'.
        self._directions = _Directions(self.num_features, self.seed, dtype="float32")
        self._directions.build((self.key_dim,))

    def query_features(self, x: Any) -> Any:
        exponents = self._directions(x * self.key_dim**-0.25)
        # A factor common to all features of a query changes nothing: its norm is left out, and
        # the greatest exponent made zero.
        greatest = ops.max(exponents, axis=-1, keepdims=True)
        return ops.exp(exponents - ops.stop_gradient(greatest))

    def key_features(self, x: Any) -> Any:
        # Nothing is taken off that depends on other keys: a decoding step does not know them.
        x = x * self.key_dim**-0.25
        exponents = self._directions(x) - ops.sum(x * x, axis=-1, keepdims=True) / 2.0
        return ops.exp(ops.minimum(exponents, GREATEST))

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "num_features": self.num_features, "seed": self.seed}


class _Directions(keras.layers.Layer):
    """Products with random directions that are not trained: (..., K) -> (..., M)."""

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
    """Columns with the distribution of a Gaussian vector, orthogonal in blocks of `width`.

    Source: Choromanski et al. 2021, section 2.4; Yu et al. 2016, section 3.
    Formula: `Q diag(n)`, Q uniformly random and orthogonal, n the norms of Gaussian vectors

    Args:
        width: Size of a column.
        count: Number of columns.
        seed: Integer from which they are drawn.

    Outputs: float64 array (width, count).

    Example:
        >>> columns = orthogonal_gaussian(3, 5, seed=0)
        >>> columns.shape, bool(abs(columns[:, 0] @ columns[:, 1]) < 1e-9)
        ((3, 5), True)
    """
    random = np.random.default_rng(seed)
    blocks = []
    for _ in range(0, count, width):
        q, r = np.linalg.qr(random.normal(size=(width, width)))
        q = q * np.sign(np.diag(r))  # without this, the signs would not be random
        blocks.append(q * np.linalg.norm(random.normal(size=(width, width)), axis=0))
    return np.concatenate(blocks, axis=1)[:, :count]
