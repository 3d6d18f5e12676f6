"""The base of every score: how well each query goes with each key."""

from typing import Any

import keras
from keras import ops


class Score(keras.layers.Layer):
    """What every score shares; a score of your own overrides `prepare` and `compare`.

    A score works in two steps, so that keys which many queries ask are prepared once:
    `prepared = score.prepare(key)`, then `score.compare(query, prepared)`. Both take any number
    of leading axes, such as batch and heads; one score serves all heads. A score knows no masks:
    leaving positions out is the normalizer's part.

    Source: Luong et al. 2015, section 3.1 (the alignment function `score`).
    Formula: `y[..., t, s] = a(query[..., t, :], key[..., s, :])`

    Args:
        **kwargs: Those of `keras.layers.Layer`.

    Inputs: `query` (..., T, Dq), `key` (..., S, Dk).
    Outputs: (..., T, S).

    Raises:
        ValueError: If query and key must be equally wide and are not.

    Example:
        >>> class Distance(Score):
        ...     def compare(self, query, prepared):
        ...         apart = ops.expand_dims(query, -2) - ops.expand_dims(prepared, -3)
        ...         return -ops.norm(apart, axis=-1)
        >>> tuple(Distance()(ops.ones((3, 5, 2)), ops.ones((3, 7, 2))).shape)
        (3, 5, 7)
    """

    needs_equal_widths = True

    def build(self, query_shape: tuple, key_shape: tuple) -> None:
        if self.needs_equal_widths and query_shape[-1] != key_shape[-1]:
            raise ValueError(
                f"{type(self).__name__} needs query and key of equal width; received "
                f"{query_shape[-1]} and {key_shape[-1]}."
            )

    def call(self, query: Any, key: Any) -> Any:
        return self.compare(query, self.prepare(key))

    def prepare(self, key: Any) -> Any:
        """The part of the score that needs the key alone: (..., S, Dk) -> (..., S, P)."""
        return key

    def compare(self, query: Any, prepared: Any) -> Any:
        """The scores of prepared keys: (..., T, Dq), (..., S, P) -> (..., T, S)."""
        return ops.matmul(query, ops.swapaxes(prepared, -1, -2))

    def compute_output_shape(self, query_shape: tuple, key_shape: tuple) -> tuple:
        return (*query_shape[:-1], key_shape[-2])

    def _weight(self, name: str, *shape: int) -> Any:
        return self.add_weight(name=name, shape=shape, initializer="glorot_uniform")

    def _cast(self, *tensors: Any) -> Any:
        # `prepare` and `compare` are called directly, where Keras does not cast for us.
        return tuple(ops.cast(x, self.compute_dtype) for x in tensors)
