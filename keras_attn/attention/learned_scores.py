"""Attention scores with trainable weights; query and key may differ in width."""

from typing import Any

import keras
from keras import ops

from keras_attn.attention.arguments import check_sizes
from keras_attn.attention.score import Score
from keras_attn.functional.dense import dense


@keras.saving.register_keras_serializable(package="keras_attn")
class General(Score):
    """Bilinear score with a trainable matrix; query and key may differ in width.

    Source: Luong et al. 2015, section 3.1, "general".
    Formula: `a(q, k) = q W k`

    Args:
        **kwargs: Keyword arguments of `keras.layers.Layer`.

    Inputs: `query` (..., T, Dq), `key` (..., S, Dk). Weights: W (Dq, Dk).
    Outputs: Scores (..., T, S).

    Raises:
        ValueError: If a keyword argument is not one of `keras.layers.Layer`.

    Example:
        >>> from keras import ops
        >>> from keras_attn import General
        >>> tuple(General()(ops.ones((3, 5, 2)), ops.ones((3, 7, 4))).shape)
        (3, 5, 7)
    """

    needs_equal_widths = False

    def build(self, query_shape: tuple, key_shape: tuple) -> None:
        self.kernel = self._weight("kernel", query_shape[-1], key_shape[-1])

    def prepare(self, key: Any) -> Any:
        key, kernel = self._cast(key, self.kernel)
        return dense(key, ops.transpose(kernel))


@keras.saving.register_keras_serializable(package="keras_attn")
class Additive(Score):
    """Additive score: a network with one hidden layer; query and key may differ in width.

    Source: Bahdanau et al. 2015, appendix A.1.2.
    Formula: `a(q, k) = w . tanh(U q + V k)`

    Args:
        units: Width of the hidden layer. Defaults to the width of the query.
        **kwargs: Keyword arguments of `keras.layers.Layer`.

    Inputs: `query` (..., T, Dq), `key` (..., S, Dk).
        Weights: U (Dq, units), V (Dk, units), w (units,).
    Outputs: Scores (..., T, S).

    Raises:
        ValueError: If `units` is not positive.

    Example:
        >>> from keras import ops
        >>> from keras_attn import Additive
        >>> tuple(Additive(units=11)(ops.ones((3, 5, 2)), ops.ones((3, 7, 4))).shape)
        (3, 5, 7)
    """

    needs_equal_widths = False

    def __init__(self, units: int | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        check_sizes(units=units)
        self.units = units

    def build(self, query_shape: tuple, key_shape: tuple) -> None:
        units = self.units or query_shape[-1]
        self.query_kernel = self._weight("query_kernel", query_shape[-1], units)
        self.key_kernel = self._weight("key_kernel", key_shape[-1], units)
        self.output_kernel = self._weight("output_kernel", units)

    def prepare(self, key: Any) -> Any:
        return dense(*self._cast(key, self.key_kernel))

    def compare(self, query: Any, prepared: Any) -> Any:
        query, query_kernel, output_kernel = self._cast(
            query, self.query_kernel, self.output_kernel
        )
        hidden = ops.expand_dims(dense(query, query_kernel), -2)
        hidden = ops.tanh(hidden + ops.expand_dims(prepared, -3))
        return ops.sum(hidden * output_kernel, axis=-1)

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "units": self.units}


@keras.saving.register_keras_serializable(package="keras_attn")
class Concat(Additive):
    """Additive score of the concatenated query and key.

    It is the same function as `Additive`, with U and V stacked into one weight.

    Source: Luong et al. 2015, section 3.1, "concat".
    Formula: `a(q, k) = w . tanh(W [q; k])`

    Args:
        units: Width of the hidden layer. Defaults to the width of the query.
        **kwargs: Keyword arguments of `keras.layers.Layer`.

    Inputs: `query` (..., T, Dq), `key` (..., S, Dk).
        Weights: W (Dq + Dk, units), w (units,).
    Outputs: Scores (..., T, S).

    Raises:
        ValueError: If `units` is not positive.

    Example:
        >>> from keras import ops
        >>> from keras_attn import Concat
        >>> tuple(Concat(units=11)(ops.ones((3, 5, 2)), ops.ones((3, 7, 4))).shape)
        (3, 5, 7)
    """

    def build(self, query_shape: tuple, key_shape: tuple) -> None:
        units = self.units or query_shape[-1]
        self.kernel = self._weight("kernel", query_shape[-1] + key_shape[-1], units)
        self.output_kernel = self._weight("output_kernel", units)
        self._query_width = query_shape[-1]

    @property
    def query_kernel(self) -> Any:
        return ops.convert_to_tensor(self.kernel)[: self._query_width]

    @property
    def key_kernel(self) -> Any:
        return ops.convert_to_tensor(self.kernel)[self._query_width :]
