"""Sliding-window attention, computed in chunks."""

from typing import Any

import keras
from keras import ops

from keras_attn.attention.attention import Attention
from keras_attn.attention.projected_heads import ProjectedHeads, check_equal_lengths
from keras_attn.functional.masks import (
    local_mask,
    merge_attention_masks,
    merge_masks,
    zero_masked_inputs,
)

# Smaller chunks cost more in small operations than they save in attention weights.
LEAST_CHUNK = 16


@keras.saving.register_keras_serializable(package="keras_attn")
class LocalAttention(ProjectedHeads):
    """Multi-head sliding-window self-attention, in O(n window) time and memory.

    It computes the outputs of `MultiHeadAttention` with the same weights and `local_mask`. A query
    that can attend to no position gets the output bias. Masks are per position, because a mask
    (T, T) would take the memory that the layer saves.

    Source: Vaswani et al. 2017, section 4 (restricted self-attention); Beltagy et al. 2020,
        section 3.1 (sliding window).
    Formula: in each head `c_t = sum_s w_ts v_s` with
        `w_ts = softmax_s(q_t . k_s / sqrt(K))` over `|t - s| <= window`

    Args:
        num_heads: Number of heads H.
        key_dim: Size K of each head.
        window: Maximum distance between a query and the keys it attends to, on either side.
        dropout: Dropout rate of the attention weights.
        use_bias: Whether the projections have biases.
        output_shape: Width of the output. Defaults to the width of the query.
        kernel_initializer: Initializer of the projection kernels.
        output_kernel_initializer: Initializer of the kernel of the output projection. Defaults to
            `kernel_initializer`.

    Inputs: `query` (B, T, D), `value` (B, T, Dv), and `key` (B, T, Dk), which defaults to `value`;
        `query_mask`, `value_mask` and `key_mask` (B, T), True for positions to attend to, default
        to Keras's implicit masks; `use_causal_mask` masks future positions. All masks are combined.
        Weights: kernel and bias of query, key, value and output, as in `MultiHeadAttention`.
    Outputs: (B, T, output_shape); with `return_attention_scores` also the attention weights
        (B, H, T, T), zero outside the window, which take O(n^2) time and memory.

    Raises:
        ValueError: If a size is not positive, `window` is negative, `dropout` is not in [0, 1), or
            query and value differ in length.

    Example:
        >>> from keras import ops
        >>> from keras_attn import LocalAttention
        >>> layer = LocalAttention(num_heads=2, key_dim=7, window=1)
        >>> x = ops.ones((3, 5, 11))
        >>> output, weights = layer(x, x, return_attention_scores=True)
        >>> tuple(output.shape), [round(float(weight), 3) for weight in weights[0, 0, 0]]
        ((3, 5, 11), [0.5, 0.5, 0.0, 0.0, 0.0])
        >>> output, cache = layer.step(x[:, :1], layer.initial_cache(batch_size=3), index=0)
        >>> tuple(output.shape), tuple(cache[0].shape)
        ((3, 1, 11), (3, 1, 2, 7))
    """

    def __init__(
        self,
        num_heads: int,
        key_dim: int,
        window: int,
        dropout: float = 0.0,
        use_bias: bool = True,
        output_shape: int | None = None,
        kernel_initializer: Any = "glorot_uniform",
        output_kernel_initializer: Any = None,
        **kwargs: Any,
    ) -> None:
        initializers = (kernel_initializer, output_kernel_initializer)
        super().__init__(num_heads, key_dim, use_bias, output_shape, *initializers, **kwargs)
        if window < 0:
            raise ValueError(f"window must be at least 0; received {window!r}.")
        self.window = window
        self.attention = Attention(score="scaled_dot", dropout=dropout, dtype=self.dtype_policy)

    def build(self, query_shape: tuple, value_shape: tuple, key_shape: tuple | None = None) -> None:
        super().build(query_shape, value_shape, key_shape)
        of_head = (None, self.num_heads, None, self.key_dim)
        self.attention.build(of_head, of_head)

    def call(
        self,
        query: Any,
        value: Any,
        key: Any = None,
        query_mask: Any = None,
        value_mask: Any = None,
        key_mask: Any = None,
        return_attention_scores: bool = False,
        training: bool | None = None,
        use_causal_mask: bool = False,
    ) -> Any:
        check_equal_lengths(query, value, "LocalAttention")
        masks = (query_mask, value_mask, key_mask)
        heads = self.into_heads(*zero_masked_inputs(query, value, key, None, *masks))
        seen = merge_masks(value_mask, key_mask)
        contexts = self._attend_in_chunks(*heads, use_causal_mask, query_mask, seen, training)
        output = self.out_of_heads(contexts)
        if not return_attention_scores:
            return output
        length = ops.shape(query)[1]
        near = local_mask(length, length, self.window)
        mask = merge_attention_masks(query, value, near, use_causal_mask, *masks)
        queries, keys, values = (ops.swapaxes(x, 1, 2) for x in heads)
        return output, self.attention.attend(queries, keys, values, ops.expand_dims(mask, 1))[1]

    def _attend_in_chunks(
        self,
        query: Any,
        key: Any,
        value: Any,
        is_causal: bool,
        query_mask: Any,
        key_mask: Any,
        training: bool | None,
    ) -> Any:
        """Returns the contexts (B, T, H, K); the chunks are stacked in the batch axis."""
        batch, length = ops.shape(query)[:2]
        size = _chunk_size(length, self.window)
        around = (1, 0) if is_causal else (1, 1)
        real = ops.ones((batch, length)) if key_mask is None else ops.cast(key_mask, "float32")
        # (B N, 2 or 3 sizes): the positions that pad the last chunk are masked, too.
        mask = ops.expand_dims(_in_chunks(real, size, *around), 1)
        mask = merge_masks(mask, _near(size, self.window, *around))
        if query_mask is not None:
            rows = _in_chunks(ops.cast(query_mask, "float32"), size)
            mask = merge_masks(mask, ops.expand_dims(rows, -1))
        query, key, value = (
            ops.swapaxes(_in_chunks(x, size, *beside), 1, 2)  # (B N, H, ·, K)
            for x, beside in ((query, ()), (key, around), (value, around))
        )
        mask = ops.expand_dims(mask, 1)
        contexts = self.attention.attend(query, key, value, mask, training)[0]
        contexts = ops.swapaxes(contexts, 1, 2)
        chunks = (length + size - 1) // size
        shape = (batch, chunks * size, self.num_heads, self.key_dim)
        return ops.reshape(contexts, shape)[:, :length]

    def initial_cache(self, batch_size: Any, max_length: Any = None) -> tuple[Any, Any]:
        """Returns the keys and values before the first step, whose size is that of the window.

        Args:
            batch_size: Batch size B, an integer or a scalar tensor.
            max_length: Not used.

        Returns:
            Two tensors of zeros, (B, window, H, K), for the last positions, the latest one last.
        """
        del max_length
        shape = (batch_size, self.window, self.num_heads, self.key_dim)
        return ops.zeros(shape, self.compute_dtype), ops.zeros(shape, self.compute_dtype)

    def step(
        self, query: Any, cache: tuple[Any, Any], index: Any, count: Any = None
    ) -> tuple[Any, tuple[Any, Any]]:
        """Computes one step of causal self-attention, or several consecutive ones.

        Args:
            query: Tensor (B, T, D), the inputs of the T steps; T = 1 for one step.
            cache: The keys and values from `initial_cache` or from the previous call.
            index: Position of the first of the steps, an integer or a scalar tensor.
            count: Number of steps that count; the others are padding on the right, which the next
                steps do not attend to. Defaults to T.

        Returns:
            The outputs (B, T, output_shape), equal to those of the whole sequence, and the new keys
            and values.
        """
        batch, length = ops.shape(query)[:2]
        queries, *new = self.into_heads(query, query)
        keys, values = (
            ops.concatenate([old, ops.cast(each, old.dtype)], axis=1)
            for old, each in zip(cache, new, strict=True)
        )
        positions = ops.arange(self.window + length, dtype="int32") + ops.cast(index, "int32")
        real = ops.expand_dims(
            positions >= self.window, 0
        )  # False before the start of the sequence
        if query.shape[1] == 1:
            queries, keys_, values_ = (ops.swapaxes(x, 1, 2) for x in (queries, keys, values))
            contexts, _ = self.attention.attend(queries, keys_, values_, real)
            contexts = ops.swapaxes(contexts, 1, 2)
        else:
            # Queries for the old keys, too, so that all are in the same chunks.
            queries = ops.pad(queries, ((0, 0), (self.window, 0), (0, 0), (0, 0)))
            real = ops.broadcast_to(real, (batch, self.window + length))
            contexts = self._attend_in_chunks(queries, keys, values, True, None, real, False)
            contexts = contexts[:, self.window :]
        start = length if count is None else ops.cast(count, "int32")
        shape = (batch, self.window, self.num_heads, self.key_dim)
        last = (ops.slice(x, (0, start, 0, 0), shape) for x in (keys, values))
        return self.out_of_heads(contexts), tuple(last)

    def compute_output_spec(
        self, query: Any, *args: Any, return_attention_scores: bool = False, **kwargs: Any
    ) -> Any:
        shape = self.compute_output_shape(query.shape, query.shape)
        output = keras.KerasTensor(shape, self.compute_dtype)
        batch, length, _ = query.shape
        weights = keras.KerasTensor((batch, self.num_heads, length, length), self.compute_dtype)
        return (output, weights) if return_attention_scores else output

    def get_config(self) -> dict[str, Any]:
        config = {"window": self.window, "dropout": self.attention.dropout}
        return {**super().get_config(), **config}


def _chunk_size(length: Any, window: int) -> Any:
    """Returns the number of positions of a chunk.

    It is at least the window, so that a query only attends to its own chunk and the adjacent ones;
    if the whole sequence is shorter, it is one chunk.
    """
    size = max(window, LEAST_CHUNK)
    if isinstance(length, int):
        return max(min(length, size), 1)
    return ops.maximum(ops.minimum(length, size), 1)


def _in_chunks(x: Any, size: Any, before: int = 0, after: int = 0) -> Any:
    """Splits the time axis into N chunks, each joined with the chunks before and after it.

    (B, T, ...) becomes (B N, (before + 1 + after) size, ...), with zeros beyond the ends.
    """
    batch, length = ops.shape(x)[:2]
    chunks = (length + size - 1) // size
    rest = tuple(x.shape[2:])
    padding = (before * size, (chunks + after) * size - length)
    x = ops.pad(x, ((0, 0), padding, *((0, 0) for _ in rest)))
    shifted = [
        ops.reshape(x[:, i * size : (i + chunks) * size], (batch * chunks, size, *rest))
        for i in range(before + 1 + after)
    ]
    return shifted[0] if len(shifted) == 1 else ops.concatenate(shifted, axis=1)


def _near(size: Any, window: int, before: int, after: int) -> Any:
    """Mask (1, size, keys) of the keys from `_in_chunks` that each query of a chunk attends to.

    Without chunks after it, it is causal.
    """
    query = ops.expand_dims(ops.arange(size, dtype="int32") + before * size, -1)
    key = ops.expand_dims(ops.arange((before + 1 + after) * size, dtype="int32"), 0)
    near = ops.less_equal(ops.abs(query - key), window)
    return ops.expand_dims(near if after else ops.logical_and(near, key <= query), 0)
