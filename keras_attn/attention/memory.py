"""The protocol of attention to a memory, whose keys and values are computed once for all steps."""

from typing import Any, Protocol

import keras

from keras_attn.functional.masks import for_all_queries
from keras_attn.protocols import check_methods


class MemoryAttention(Protocol):
    """Protocol of a Keras layer that attends to a memory in the steps of a decoder.

    `Attention`, `MultiHeadAttention`, `LinearAttention` and `RandomFeatureAttention` have it, and
    so can a layer of your own. An `AttentionCell` prepares the memory once, and then attends to it
    at every step.

    Source: Bahdanau et al. 2015, section 3.1 (the context of a step is computed from the state and
        the annotations of the source, which are the same at all steps).
    Formula: `c_t = f(q_t, m_1 ... m_S) = attend_to_memory(q_t, prepare_memory(m))`

    Args:
        None: a layer has the methods and attributes of this class, and need not inherit from it.
            `dropout` is the dropout rate of the attention weights, 0 without them.
            `weights_heads` are the sizes of the axes of the attention weights between those of the
            batch and of the queries: () without heads, (H,) with H heads, and None for a layer
            that cannot return attention weights.

    Outputs: Contexts (B, T, C).

    Example:
        >>> import keras
        >>> from keras import ops
        >>> from keras_attn import RNN, AttentionCell, GRUCell
        >>> @keras.saving.register_keras_serializable(package="my_package")
        ... class MeanOfMemory(keras.layers.Layer):
        ...     '''The mean of the memory, whatever the query is.'''
        ...
        ...     dropout, weights_heads = 0.0, None
        ...
        ...     def build(self, query_shape, value_shape): ...
        ...
        ...     def compute_output_shape(self, query_shape, value_shape):
        ...         return (*query_shape[:-1], value_shape[-1])
        ...
        ...     def prepare_memory(self, memory, memory_mask=None):
        ...         if memory_mask is None:
        ...             return {"values": ops.mean(memory, axis=1, keepdims=True)}
        ...         weights = ops.cast(memory_mask, memory.dtype)[..., None]
        ...         weights = weights / ops.maximum(ops.sum(weights, axis=1, keepdims=True), 1.0)
        ...         return {"values": ops.sum(weights * memory, axis=1, keepdims=True)}
        ...
        ...     def attend_to_memory(self, query, prepared, training=None, dropout_seed=None):
        ...         return prepared["values"], None
        >>> layer = RNN(AttentionCell(GRUCell(5), MeanOfMemory()))
        >>> x, memory = ops.ones((2, 3, 7)), ops.ones((2, 11, 4))
        >>> tuple(layer(x, memory=memory).shape)
        (2, 5)
    """

    dropout: float

    @property
    def weights_heads(self) -> tuple[int, ...] | None:
        """Sizes of the axes of heads of the attention weights, or None if there are no weights."""

    def build(self, query_shape: tuple, value_shape: tuple) -> None:
        """Creates the weights. The shapes are those of a query and of the memory, (B, T, D)."""

    def compute_output_shape(self, query_shape: tuple, value_shape: tuple) -> tuple:
        """Returns the shape of the contexts, (B, T, C)."""

    def prepare_memory(self, memory: Any, memory_mask: Any = None) -> dict[str, Any]:
        """Computes what all steps share.

        Args:
            memory: Tensor (B, S, M).
            memory_mask: Mask (B, S), True for positions to attend to.

        Returns:
            Tensors whose first axis is the batch, by name. A layer that returns attention weights
            has "keys" among them, whose last axes are (S, ·).
        """

    def attend_to_memory(
        self,
        query: Any,
        prepared: dict[str, Any],
        training: bool | None = None,
        dropout_seed: Any = None,
    ) -> tuple[Any, Any]:
        """Attends to a prepared memory.

        Args:
            query: Queries (B, T, D).
            prepared: The result of `prepare_memory`.
            training: Whether to apply dropout.
            dropout_seed: Two integers (2,) that `dropout_seeds` drew, for dropout in training.

        Returns:
            The contexts (B, T, C), and the attention weights (B, *weights_heads, T, S) or None.
        """

    def dropout_seeds(self, count: Any) -> Any:
        """Draws the seeds of dropout for T steps, (T, 2). Only needed if `dropout` is not 0."""


def with_mask(prepared: dict[str, Any], memory_mask: Any) -> dict[str, Any]:
    """Adds the mask of the memory, (B, S), to what the steps share, if there is one."""
    return prepared if memory_mask is None else {**prepared, "mask": for_all_queries(memory_mask)}


def check_no(is_set: dict[str, bool], layer: str) -> None:
    """Refuses arguments that attention to a memory cannot have, since it runs in steps.

    Args:
        is_set: Whether each argument is set, by name.
        layer: Name of the class of the layer.

    Raises:
        ValueError: If one is set.

    Example:
        >>> check_no({"sliding_window": False, "position": True}, "MultiHeadAttention")
        Traceback (most recent call last):
        ValueError: position is not possible in attention to a memory, step by step; create the \
MultiHeadAttention without it.
    """
    for name, given in is_set.items():
        if given:
            raise ValueError(
                f"{name} is not possible in attention to a memory, step by step; create the "
                f"{layer} without it."
            )


def memory_attention(given: Any) -> Any:
    """Returns a layer with the protocol, from the layer or its serialized form.

    Args:
        given: The layer, or what `keras.saving.serialize_keras_object` returned for it.

    Raises:
        ValueError: If it lacks methods of `MemoryAttention`. The message says which.

    Example:
        >>> memory_attention(keras.layers.Dense(5))
        Traceback (most recent call last):
        ValueError: attention must be a layer with the methods of keras_attn.MemoryAttention; \
Dense lacks prepare_memory(memory, memory_mask=None) and attend_to_memory(query, prepared, \
training=None, dropout_seed=None).
    """
    layer = keras.saving.deserialize_keras_object(given) if isinstance(given, dict) else given
    methods = (MemoryAttention.prepare_memory, MemoryAttention.attend_to_memory)
    check_methods(layer, "attention", MemoryAttention, methods)
    return layer
