"""Attention scores from the dot product of query and key, without weights."""

from typing import Any

import keras
from keras import ops

from keras_attn.attention.score import Score


@keras.saving.register_keras_serializable(package="keras_attn")
class Dot(Score):
    """Dot-product score.

    Source: Luong et al. 2015, section 3.1, "dot".
    Formula: `a(q, k) = q . k`

    Args:
        **kwargs: Keyword arguments of `keras.layers.Layer`.

    Inputs: `query` (..., T, D), `key` (..., S, D).
    Outputs: Scores (..., T, S).

    Raises:
        ValueError: If query and key differ in width.

    Example:
        >>> from keras import ops
        >>> from keras_attn import Dot
        >>> query, key = ops.array([[1.0, 2.0]]), ops.array([[3.0, 4.0]])
        >>> ops.convert_to_numpy(Dot()(query, key)).tolist()
        [[11.0]]
    """

    def compare(self, query: Any, prepared: Any) -> Any:
        return super().compare(*self._cast(query, prepared))


@keras.saving.register_keras_serializable(package="keras_attn")
class ScaledDot(Score):
    """Scaled dot-product score.

    Dividing by the square root of the width keeps the variance of the scores near 1.

    Source: Vaswani et al. 2017, equation 1.
    Formula: `a(q, k) = q . k / sqrt(D)`, or with `scale` `scale q . k`

    Args:
        scale: Factor of the dot products. Defaults to `1 / sqrt(D)`.
        **kwargs: Keyword arguments of `keras.layers.Layer`.

    Inputs: `query` (..., T, D), `key` (..., S, D).
    Outputs: Scores (..., T, S).

    Raises:
        ValueError: If query and key differ in width, or the scale is not positive.

    Example:
        >>> from keras import ops
        >>> from keras_attn import ScaledDot
        >>> query, key = ops.array([[1.0, 1, 1, 1]]), ops.array([[1.0, 2, 3, 4]])
        >>> ops.convert_to_numpy(ScaledDot()(query, key)).tolist()
        [[5.0]]
    """

    def __init__(self, scale: float | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        check_positive(scale=scale)
        self.scale = scale

    def compare(self, query: Any, prepared: Any) -> Any:
        # Scale the query, not the scores: fewer numbers, and no overflow in float16.
        query = query * (query.shape[-1] ** -0.5 if self.scale is None else self.scale)
        return ops.matmul(query, ops.swapaxes(prepared, -1, -2))

    def get_config(self) -> dict[str, Any]:
        own = {} if self.scale is None else {"scale": self.scale}
        return {**super().get_config(), **own}


@keras.saving.register_keras_serializable(package="keras_attn")
class SoftCappedDot(Score):
    """Scaled dot-product score that stays within a bound.

    Source: Gemma team 2024 (Gemma 2), section 2, "logit soft-capping".
    Formula: `a(q, k) = cap tanh(scale q . k / cap)`

    Args:
        cap: Bound of the scores.
        scale: Factor of the dot products. Defaults to `1 / sqrt(D)`.
        **kwargs: Keyword arguments of `keras.layers.Layer`.

    Inputs: `query` (..., T, D), `key` (..., S, D).
    Outputs: Scores (..., T, S).

    Raises:
        ValueError: If query and key differ in width, or the cap or the scale is not positive.

    Example:
        >>> from keras import ops
        >>> from keras_attn import SoftCappedDot
        >>> query, key = ops.array([[1.0, 1, 1, 1]]), ops.array([[1.0, 2, 3, 4]])
        >>> ops.convert_to_numpy(SoftCappedDot(cap=2.0)(query, key)).round(3).astype(str).tolist()
        [['1.973']]
    """

    def __init__(self, cap: float, scale: float | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        check_positive(cap=cap, scale=scale)
        self.cap, self.scale = cap, scale

    def compare(self, query: Any, prepared: Any) -> Any:
        query = query * (query.shape[-1] ** -0.5 if self.scale is None else self.scale)
        return soft_capped(super().compare(query, prepared), self.cap)

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "cap": self.cap, "scale": self.scale}


def soft_capped(x: Any, cap: float) -> Any:
    """Numbers within a bound, near which they change less and less.

    Source: Gemma team 2024 (Gemma 2), section 2, "logit soft-capping".
    Formula: `y = cap tanh(x / cap)`

    Args:
        x: Tensor.
        cap: The bound.

    Returns:
        A tensor of the same shape.

    Example:
        >>> float(soft_capped(ops.array(100.0), 3.0))
        3.0
    """
    return cap * ops.tanh(x / cap)


def check_positive(**numbers: float | None) -> None:
    """Raises if a number is neither None nor positive.

    Example:
        >>> check_positive(scale=0.0)
        Traceback (most recent call last):
        ValueError: scale must be positive; received 0.0.
    """
    for name, value in numbers.items():
        if value is not None and not value > 0:
            raise ValueError(f"{name} must be positive; received {value!r}.")


@keras.saving.register_keras_serializable(package="keras_attn")
class ExpDot(Score):
    """Exponential of the dot product.

    With the normalizer "ratio", attention layers compute it as `Dot` with "softmax": the weights
    are the same, and they do not overflow. Called directly, the score is infinite for dot products
    above 88. It is computed in float32 under every dtype policy.

    Source: Vaswani et al. 2017, equation 1: the numerator of its softmax, without the scale.
    Formula: `a(q, k) = exp(q . k)`

    Args:
        **kwargs: Keyword arguments of `keras.layers.Layer`.

    Inputs: `query` (..., T, D), `key` (..., S, D).
    Outputs: Scores (..., T, S).

    Raises:
        ValueError: If query and key differ in width.

    Example:
        >>> from keras import ops
        >>> from keras_attn import ExpDot
        >>> query, key = ops.array([[1.0, 2.0]]), ops.array([[2.0, -1.0]])
        >>> ops.convert_to_numpy(ExpDot()(query, key)).tolist()
        [[1.0]]
    """

    can_be_negative = False

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.log = Dot(dtype="float32")  # the logarithm of the scores, which stays finite

    def compare(self, query: Any, prepared: Any) -> Any:
        return ops.exp(self.log.compare(query, prepared))

    def compute_output_spec(self, query: Any, key: Any) -> Any:
        shape = self.compute_output_shape(query.shape, key.shape)
        return keras.KerasTensor(shape, dtype="float32")


@keras.saving.register_keras_serializable(package="keras_attn")
class Cosine(Score):
    """Cosine similarity of query and key.

    Source: Graves et al. 2014, equation 6.
    Formula: `a(q, k) = q . k / (|q| |k|)`, and 0 for a zero vector

    Args:
        **kwargs: Keyword arguments of `keras.layers.Layer`.

    Inputs: `query` (..., T, D), `key` (..., S, D).
    Outputs: Scores (..., T, S).

    Raises:
        ValueError: If query and key differ in width.

    Example:
        >>> from keras import ops
        >>> from keras_attn import Cosine
        >>> query, key = ops.array([[2.0, 0.0]]), ops.array([[3.0, 4.0]])
        >>> ops.convert_to_numpy(Cosine()(query, key)).round(3).astype(str).tolist()
        [['0.6']]
    """

    def prepare(self, key: Any) -> Any:
        return _unit_length(key)

    def compare(self, query: Any, prepared: Any) -> Any:
        return super().compare(_unit_length(query), prepared)


def _unit_length(x: Any) -> Any:
    """Normalizes vectors to length 1, in float32, where squares do not overflow."""
    wide = ops.cast(x, "float32")
    squares = ops.sum(wide * wide, axis=-1, keepdims=True)
    return ops.cast(wide * ops.rsqrt(ops.maximum(squares, 1e-12)), x.dtype)
