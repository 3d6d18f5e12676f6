"""Exact attention computed in blocks of queries, in O(n) instead of O(n^2) memory."""

from collections.abc import Callable
from typing import Any

from keras import ops

from keras_attn.dense_only import dense_only
from keras_attn.functional.masks import causal_mask, merge_masks
from keras_attn.functional.softmax import masked_softmax

# Number of queries in a block. The weights of one block over all keys are in memory at a time.
BLOCK = 128
# Number of queries times number of keys from which blockwise attention pays off.
PAYS_FROM = 2048 * 2048


@dense_only
def blockwise_attention(
    query: Any,
    key: Any,
    value: Any,
    mask: Any = None,
    use_causal_mask: bool = False,
    scale: float | None = None,
) -> Any:
    """Scaled dot-product attention in O(n) memory, for the forward and the backward pass.

    Each block of queries attends to all keys at once, so its softmax is exactly that of standard
    attention. The attention weights cannot be returned, and attention dropout is not supported.

    Source: Rabe & Staats 2021, sections 2 and 3: one block of queries after another; the weights of
        a block are recomputed for the gradient.
    Formula: `c_t = sum_s w_ts v_s` with `w_ts = softmax_s(scale q_t . k_s)`

    Args:
        query: Tensor (B, H, T, K).
        key: Tensor (B, H, S, K).
        value: Tensor (B, H, S, Kv).
        mask: Bool tensor with four axes that broadcasts to (B, H, T, S), True for positions to
            attend to. If the size of its third axis is 1, the mask takes O(n) memory, too.
        use_causal_mask: Whether to mask future positions.
        scale: Factor applied to the scores. Defaults to `1 / sqrt(K)`.

    Returns:
        Contexts (B, H, T, Kv) in the dtype of `query`; zeros for queries whose keys are all masked.

    Raises:
        ValueError: If `mask` does not have four axes.

    Example:
        >>> from keras import ops
        >>> from keras_attn import blockwise_attention
        >>> value = ops.reshape(ops.arange(4.0), (1, 1, 4, 1))
        >>> key = ops.ones((1, 1, 4, 3))
        >>> contexts = blockwise_attention(key, key, value, use_causal_mask=True)
        >>> [round(float(number), 3) for number in contexts[0, 0, :, 0]]
        [0.0, 0.5, 1.0, 1.5]
    """
    if mask is not None and len(mask.shape) != 4:
        raise ValueError(f"mask must have four axes; received the shape {tuple(mask.shape)}.")

    @ops.custom_gradient
    def attend(query, key, value, *mask):  # the mask, too: a loop or a cond may not close over it
        block_mask = _block_masks(key, *mask or [None], use_causal_mask)

        def gradient(*upstreams, upstream=None):
            # PyTorch passes it by name, after the inputs.
            upstream = upstreams[0] if upstream is None else upstream
            return (*_backward(query, key, value, upstream, block_mask), *(None for _ in mask))

        return _forward(query, key, value, block_mask), gradient

    query = query * (query.shape[-1] ** -0.5 if scale is None else scale)
    return attend(query, key, value, *([] if mask is None else [mask]))


def _block_masks(key: Any, mask: Any, use_causal_mask: bool) -> Callable[[Any], Any]:
    """A function that returns the mask of block i, (B, H, BLOCK, S), or None."""
    rows = mask if mask is None or mask.shape[2] == 1 else _in_blocks(mask)

    def block_mask(i: Any) -> Any:
        causal = None
        if use_causal_mask:
            causal = ops.expand_dims(causal_mask(BLOCK, ops.shape(key)[2], i * BLOCK), 1)
        if mask is None or mask.shape[2] == 1:
            return merge_masks(causal, mask)
        return merge_masks(causal, _read(rows, i))

    return block_mask


def _forward(query: Any, key: Any, value: Any, block_mask: Any) -> Any:
    queries, blocks = _in_blocks(query), _count(query)
    contexts = ops.zeros((*ops.shape(queries)[:3], value.shape[-1]), query.dtype)

    def body(i, contexts):
        weights = _weights(_read(queries, i), key, block_mask(i))
        return i + 1, _write(contexts, i, ops.matmul(weights, value))

    _, contexts = ops.while_loop(lambda i, _: i < blocks, body, (0, contexts))
    return contexts[:, :, : ops.shape(query)[2]]


def _backward(query: Any, key: Any, value: Any, upstream: Any, block_mask: Any) -> tuple:
    """Computes the gradients of query, key and value."""
    queries, upstreams, blocks = _in_blocks(query), _in_blocks(upstream), _count(query)

    def body(i, d_queries, d_key, d_value):
        query, upstream = _read(queries, i), _read(upstreams, i)
        weights = _weights(query, key, block_mask(i))
        d_weights = ops.matmul(upstream, ops.swapaxes(value, -1, -2))
        wide = ops.cast(weights, "float32")
        d_scores = wide * ops.cast(d_weights, "float32")
        d_scores = d_scores - wide * ops.sum(d_scores, axis=-1, keepdims=True)
        d_scores = ops.cast(d_scores, query.dtype)
        d_key = d_key + ops.cast(ops.matmul(ops.swapaxes(d_scores, -1, -2), query), "float32")
        d_value = d_value + ops.cast(ops.matmul(ops.swapaxes(weights, -1, -2), upstream), "float32")
        return i + 1, _write(d_queries, i, ops.matmul(d_scores, key)), d_key, d_value

    first = (
        0,
        ops.zeros_like(queries),
        ops.zeros_like(key, "float32"),  # sums of many blocks
        ops.zeros_like(value, "float32"),
    )
    _, d_queries, d_key, d_value = ops.while_loop(lambda i, *_: i < blocks, body, first)
    d_query = d_queries[:, :, : ops.shape(query)[2]]
    return d_query, ops.cast(d_key, key.dtype), ops.cast(d_value, value.dtype)


def _weights(query: Any, key: Any, mask: Any) -> Any:
    return masked_softmax(ops.matmul(query, ops.swapaxes(key, -1, -2)), mask)


def _count(x: Any) -> Any:
    """Number of blocks in x (B, H, T, ·)."""
    blocks = (ops.shape(x)[2] + BLOCK - 1) // BLOCK
    # JAX traces the loop body, which reads a block, even if there is none.
    return max(blocks, 1) if isinstance(blocks, int) else blocks


def _in_blocks(x: Any) -> Any:
    """Pads x (B, H, T, ·) to a whole number of blocks."""
    padding = _count(x) * BLOCK - ops.shape(x)[2]
    return ops.pad(x, ((0, 0), (0, 0), (0, padding), (0, 0)))


def _read(x: Any, i: Any) -> Any:
    batch, heads, _, width = ops.shape(x)
    return ops.slice(x, (0, 0, i * BLOCK, 0), (batch, heads, BLOCK, width))


def _write(x: Any, i: Any, block: Any) -> Any:
    return ops.slice_update(x, (0, 0, i * BLOCK, 0), block)
