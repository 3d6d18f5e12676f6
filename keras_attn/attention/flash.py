"""Multi-head attention in the flash attention kernel of a backend."""

from typing import Any

from keras import ops

from keras_attn.attention.cudnn import attend_in_cudnn, cudnn_suits
from keras_attn.functional.masks import merge_attention_masks


def attend_in_flash(
    query: Any, key: Any, value: Any, scale: float | None = None, *masks: Any
) -> Any:
    """Multi-head dot-product attention in one kernel of the backend, on devices that have it.

    Source: Dao et al. 2022; grouped heads: Ainslie et al. 2023, section 2.2.
    Formula: `c^h_t = sum_s w^h_ts v^g_s` with `w^h_ts = softmax_s(scale q^h_t . k^g_s)` and
        `g = h // (H / G)`

    Args:
        query: Queries (B, H, T, K).
        key: Keys (B, G, S, K).
        value: Values (B, G, S, Kv).
        scale: Factor of the scores. Defaults to `1 / sqrt(K)`.
        *masks: Those of `attend_in_blocks`, in the same order.

    Returns:
        Contexts (B, H, T, Kv); zeros for queries whose keys are all masked.

    Raises:
        Exception: That of the backend, if it has no such kernel for the device or the shapes.
    """
    if cudnn_suits(query, key, value):
        return attend_in_cudnn(query, key, value, scale, *masks)
    mask = merge_attention_masks(query, value, *masks)
    if mask is not None and len(mask.shape) < 4:
        mask = ops.expand_dims(mask, -3)
    shared = query.shape[1] // key.shape[1]
    if shared > 1:
        key, value = (ops.repeat(x, shared, axis=1) for x in (key, value))
    query, key, value = (ops.swapaxes(x, 1, 2) for x in (query, key, value))
    contexts = ops.dot_product_attention(
        query, key, value, mask=mask, scale=scale, flash_attention=True
    )
    contexts = ops.swapaxes(contexts, 1, 2)
    if mask is None:
        return contexts
    return ops.where(ops.any(mask, axis=-1, keepdims=True), contexts, 0)
