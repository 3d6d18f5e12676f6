"""Base class of attention scores."""

from typing import Any, ClassVar

from keras import ops

from keras_attn.checked import CheckedLayer


class Score(CheckedLayer):
    """Base class of attention scores; subclasses override `prepare` and `compare`.

    A score is computed in two steps, so that keys which are compared with many queries are prepared
    only once: `prepared = score.prepare(key)`, then `score.compare(query, prepared)`. Both accept
    any leading axes, such as batch and heads; all heads share one score. Scores ignore masks, which
    the normalizer applies.

    Source: Luong et al. 2015, section 3.1 (the alignment function `score`).
    Formula: `y[..., t, s] = a(query[..., t, :], key[..., s, :])`

    Args:
        **kwargs: Keyword arguments of `keras.layers.Layer`.

    Inputs: `query` (..., T, Dq), `key` (..., S, Dk).
    Outputs: Scores (..., T, S).

    Raises:
        ValueError: If query and key differ in width and the score requires equal widths.

    Example:
        >>> class Distance(Score):
        ...     def compare(self, query, prepared):
        ...         apart = ops.expand_dims(query, -2) - ops.expand_dims(prepared, -3)
        ...         return -ops.norm(apart, axis=-1)
        >>> tuple(Distance()(ops.ones((3, 5, 2)), ops.ones((3, 7, 2))).shape)
        (3, 5, 7)
    """

    axes: ClassVar[dict[str, str]] = {"query": "... T Dq", "key": "... S Dk"}

    needs_equal_widths = True
    # Whether a score can be below zero. The normalizer "ratio" takes only scores that cannot.
    can_be_negative = True

    def build(self, query_shape: tuple, key_shape: tuple) -> None:
        self.check_widths(query_shape, key_shape)

    def check_widths(self, query_shape: tuple, key_shape: tuple) -> None:
        """Raises if query and key differ in width and the score requires equal widths."""
        if self.needs_equal_widths and query_shape[-1] != key_shape[-1]:
            raise ValueError(
                f"{type(self).__name__} requires query and key of equal width; received "
                f"{query_shape[-1]} and {key_shape[-1]}."
            )

    def check(self, given: dict[str, Any]) -> None:
        super().check(given)
        if {"query", "key"} <= set(given):
            self.check_widths(given["query"].shape, given["key"].shape)

    def call(self, query: Any, key: Any) -> Any:
        return self.compare(query, self.prepare(key))

    def prepare(self, key: Any) -> Any:
        """Computes the part of the scores that needs only the keys: (..., S, Dk) to (..., S, P)."""
        return key

    def compare(self, query: Any, prepared: Any) -> Any:
        """Computes the scores: queries (..., T, Dq), prepared keys (..., S, P) to (..., T, S)."""
        return ops.matmul(query, ops.swapaxes(prepared, -1, -2))

    def compute_output_shape(self, query_shape: tuple, key_shape: tuple) -> tuple:
        return (*query_shape[:-1], key_shape[-2])

    def _weight(self, name: str, *shape: int) -> Any:
        return self.add_weight(name=name, shape=shape, initializer="glorot_uniform")

    def _cast(self, *tensors: Any) -> Any:
        # `prepare` and `compare` are called directly, so Keras does not cast their arguments.
        return tuple(ops.cast(x, self.compute_dtype) for x in tensors)
