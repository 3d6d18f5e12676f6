"""The protocol of self-attention in a block."""

import inspect
from typing import Any, Protocol

import keras

from keras_attn.protocols import check_methods


class SelfAttention(Protocol):
    """Protocol of a Keras layer that can be the self-attention of a block.

    `MultiHeadAttention`, `LocalAttention`, `LinearAttention` and `RandomFeatureAttention` have it,
    and so can a layer of your own. A block calls it with the same tensor as query and value. Only
    `attention_mask` and `return_attention_scores` of `call` are optional: a block whose attention
    does not have them raises an error if it is called with them.

    Source: Vaswani et al. 2017, section 3.2.3 (self-attention in encoder and decoder).
    Formula: `y_t = f(x_t, x_1 ... x_T)`; causal `y_t = f(x_t, x_1 ... x_t)`, and step by step
        `y_t, cache_t = step(x_t, cache_{t-1}, t)` with the same outputs

    Args:
        None: a layer has the methods of this class, and need not inherit from it.

    Outputs: Tensor (B, T, D).

    Example:
        >>> import keras
        >>> from keras import ops
        >>> from keras_attn import EncoderBlock
        >>> @keras.saving.register_keras_serializable(package="my_package")
        ... class MeanAttention(keras.layers.Layer):
        ...     '''Mean of the positions up to each one, or of all.'''
        ...
        ...     def build(self, query_shape, value_shape):
        ...         self.scale = self.add_weight((query_shape[-1],), "ones", name="scale")
        ...
        ...     def call(self, query, value, value_mask=None, use_causal_mask=False):
        ...         weights = ops.ones_like(value[..., :1])
        ...         if value_mask is not None:
        ...             weights = weights * ops.cast(value_mask[..., None], value.dtype)
        ...         both = ops.concatenate([weights * value, weights], axis=-1)
        ...         if use_causal_mask:
        ...             sums = ops.cumsum(both, axis=1)
        ...         else:
        ...             sums = ops.sum(both, axis=1, keepdims=True) + ops.zeros_like(both)
        ...         return self._mean(sums)
        ...
        ...     def initial_cache(self, batch_size, max_length):
        ...         return ops.zeros((batch_size, 1, self.scale.shape[0] + 1))
        ...
        ...     def step(self, query, cache, index, count=None):
        ...         both = ops.concatenate([query, ops.ones_like(query[..., :1])], axis=-1)
        ...         if count is not None:
        ...             real = ops.arange(ops.shape(query)[1], dtype="int32") < count
        ...             both = both * ops.cast(real[None, :, None], query.dtype)
        ...         sums = cache + ops.cumsum(both, axis=1)
        ...         return self._mean(sums), sums[:, -1:]
        ...
        ...     def _mean(self, sums):
        ...         return self.scale * sums[..., :-1] / ops.maximum(sums[..., -1:], 1.0)
        >>> block = EncoderBlock(attention=MeanAttention(), intermediate_dim=13)
        >>> x = keras.random.normal((3, 5, 7))
        >>> whole = block(x, use_causal_mask=True)
        >>> cache = block.initial_cache(batch_size=3, max_length=5)
        >>> first, cache = block.step(x[:, :4], cache, index=0)
        >>> last, cache = block.step(x[:, 4:], cache, index=4)
        >>> steps = ops.concatenate([first, last], axis=1)
        >>> bool(ops.all(ops.isclose(steps, whole, atol=1e-5)))
        True
    """

    def build(self, query_shape: tuple, value_shape: tuple) -> None:
        """Creates the weights. Both shapes are (B, T, D)."""

    def call(
        self,
        query: Any,
        value: Any,
        value_mask: Any = None,
        use_causal_mask: bool = False,
    ) -> Any:
        """Computes self-attention.

        Args:
            query: Tensor (B, T, D).
            value: The same tensor.
            value_mask: Mask (B, T), True for positions to attend to.
            use_causal_mask: Whether to mask future positions.

        Returns:
            Tensor (B, T, D).
        """

    def initial_cache(self, batch_size: Any, max_length: Any) -> Any:
        """Returns the state before the first step.

        Args:
            batch_size: Batch size B, an integer or a scalar tensor.
            max_length: Maximum number of steps, an integer or a scalar tensor.

        Returns:
            Nested structure of tensors whose first axis is the batch.
        """

    def step(self, query: Any, cache: Any, index: Any, count: Any = None) -> tuple[Any, Any]:
        """Computes one step of causal self-attention, or several consecutive ones.

        Args:
            query: Tensor (B, T, D), the inputs of the T steps.
            cache: The state from `initial_cache` or from the previous call.
            index: Position of the first of the steps, an integer or a scalar tensor.
            count: Number of steps that count, an integer or a scalar tensor: the others are padding
                on the right, and the next step has the position `index + count`. Defaults to T.

        Returns:
            The outputs (B, T, D), equal to those of the whole sequence, and the new state.
        """


def check_self_attention(layer: Any) -> None:
    """Checks that a layer has the methods of `SelfAttention`.

    Args:
        layer: The layer.

    Raises:
        ValueError: If it does not. The message says which are missing.

    Example:
        >>> check_self_attention(keras.layers.Dense(5))
        Traceback (most recent call last):
        ValueError: attention must be a layer with the methods of keras_attn.SelfAttention; Dense \
lacks call(query, value, value_mask=None, use_causal_mask=False), initial_cache(batch_size, \
max_length) and step(query, cache, index, count=None).
    """
    methods = (SelfAttention.call, SelfAttention.initial_cache, SelfAttention.step)
    check_methods(layer, "attention", SelfAttention, methods)


def accepts(layer: keras.Layer, argument: str) -> bool:
    """Whether the `call` of a layer has an argument.

    Example:
        >>> accepts(keras.layers.Dropout(0.1), "training")
        True
    """
    return argument in inspect.signature(layer.call).parameters
