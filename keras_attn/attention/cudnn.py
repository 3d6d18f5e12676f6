"""Multi-head attention in cuDNN's flash attention kernel, on JAX."""

from typing import Any

import keras
from keras import ops

from keras_attn import gpu
from keras_attn.attention.blockwise import attend_in_blocks
from keras_attn.functional.masks import merge_attention_masks, merge_masks
from keras_attn.right_padding import is_promised, lengths_of, with_lengths

IMPLEMENTATION = "cudnn"  # of jax.nn.dot_product_attention
DTYPES = ("bfloat16", "float16")
AMPERE = 8.0  # the first generation of GPUs that has the kernel
MAX_KEY_DIM = 128  # of all of them


def cudnn_suits(query: Any, key: Any, value: Any) -> bool:
    """Whether cuDNN can compute attention between these heads, on JAX and a GPU.

    Args:
        query: Queries (B, H, T, K).
        key: Keys (B, G, S, K).
        value: Values (B, G, S, Kv).

    Example:
        >>> x = ops.ones((3, 4, 5, 64), "float32")
        >>> cudnn_suits(x, x, x)  # 16-bit numbers only
        False
    """
    dtypes = {keras.backend.standardize_dtype(x.dtype) for x in (query, key, value)}
    size = query.shape[-1]
    fits = size == value.shape[-1] and size % 8 == 0 and size <= MAX_KEY_DIM
    return (
        fits and len(dtypes) == 1 and dtypes <= set(DTYPES) and gpu.compute_capability() >= AMPERE
    )


def causal_mask_suffices(use_causal_mask: bool) -> bool:
    """Whether self-attention on a GPU needs no mask of the padding, within `right_padding()`.

    With a causal mask, no query before the padding sees what comes after it; what queries in the
    padding see does not count. Blocks set the padding to zero first: its attention weights are zero
    for the other queries, but zero times NaN is NaN.

    Example:
        >>> causal_mask_suffices(True)  # the mask need not be on the right
        False
    """
    return use_causal_mask and is_promised() and gpu.compute_capability() >= AMPERE


def attend_in_cudnn(
    query: Any,
    key: Any,
    value: Any,
    scale: float | None = None,
    attention_mask: Any = None,
    use_causal_mask: bool = False,
    query_mask: Any = None,
    value_mask: Any = None,
    key_mask: Any = None,
) -> Any:
    """Multi-head dot-product attention in one kernel, which skips padding and future positions.

    The kernel takes the length of each sequence. So if keys are masked anywhere but at the end of a
    sequence, attention is computed in blocks instead (see `right_padding`). An `attention_mask` is
    added to the scores, which takes O(n^2) memory for the mask.

    Source: Dao et al. 2022; `jax.nn.dot_product_attention`.
    Formula: `c^h_t = sum_s w^h_ts v^g_s` with `w^h_ts = softmax_s(scale q^h_t . k^g_s)` and
        `g = h // (H / G)`

    Args:
        Those of `attend_in_blocks`; values are as wide as keys.

    Returns:
        Contexts (B, H, T, K); zeros for queries whose keys are all masked.
    """
    of_keys = merge_masks(value_mask, key_mask)
    if attention_mask is not None:
        masks = attention_mask, use_causal_mask, None, value_mask, key_mask
        mask = merge_attention_masks(query, value, *masks)
        mask = mask if len(mask.shape) == 4 else ops.expand_dims(mask, 1)
        seen = ops.any(mask, axis=-1, keepdims=True)
        contexts = ops.where(seen, _call_kernel(query, key, value, scale, False, mask=mask), 0)
    elif of_keys is None:
        contexts = _call_kernel(query, key, value, scale, use_causal_mask)
    else:

        def call_kernel(lengths: Any) -> Any:
            # Of a sequence without keys, the kernel gets one whose value is zero.
            values = ops.where(ops.reshape(lengths > 0, (-1, 1, 1, 1)), value, 0)
            lengths = ops.maximum(lengths, 1)
            return _call_kernel(query, key, values, scale, use_causal_mask, lengths)

        def call_otherwise() -> Any:
            masks = None, use_causal_mask, None, of_keys
            return attend_in_blocks(query, key, value, scale, *masks)

        if is_promised():
            contexts = call_kernel(lengths_of(of_keys))
        else:
            contexts = with_lengths(of_keys, call_kernel, call_otherwise)
    if query_mask is None:
        return contexts
    return ops.where(ops.expand_dims(ops.expand_dims(query_mask, 1), -1), contexts, 0)


def _call_kernel(
    query: Any,
    key: Any,
    value: Any,
    scale: float | None,
    use_causal_mask: bool,
    lengths: Any = None,
    mask: Any = None,
) -> Any:
    """Calls the kernel on even numbers of queries and keys, as its gradient requires."""
    import jax

    (batch, _, queries, _), keys = query.shape, key.shape[2]
    if lengths is None and mask is None and keys % 2:
        lengths = ops.full((batch,), keys, dtype="int32")
    if mask is not None:
        mask = ops.broadcast_to(mask, (batch, mask.shape[1], queries, keys))
        mask = ops.pad(mask, [(0, 0), (0, 0), (0, queries % 2), (0, keys % 2)])
    heads = [ops.pad(x, [(0, 0), (0, 0), (0, x.shape[2] % 2), (0, 0)]) for x in (query, key, value)]
    attend: Any = jax.nn.dot_product_attention
    contexts = attend(
        *(ops.swapaxes(x, 1, 2) for x in heads),
        mask=mask,
        scale=scale,
        is_causal=use_causal_mask,
        key_value_seq_lengths=lengths,
        implementation=IMPLEMENTATION,
    )
    return ops.swapaxes(contexts, 1, 2)[:, :, :queries]
