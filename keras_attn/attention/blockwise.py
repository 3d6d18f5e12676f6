"""When and how an attention over long sequences is computed in blocks of queries."""

from typing import Any

from keras import ops

from keras_attn.attention.dot_scores import Dot, ScaledDot
from keras_attn.functional.blockwise import PAYS_FROM, blockwise_attention
from keras_attn.functional.masks import merge_attention_masks

# The scores that blocks can compute, and their factors; None is `1 / sqrt(K)`.
SCALES = {Dot: 1.0, ScaledDot: None}


def pays_in_blocks(query: Any, value: Any) -> bool:
    """Whether there are so many queries and keys that it is better to work in blocks.

    Lengths that are not known when the layer is called or traced count as short: a graph with both
    forms in it would burden all the short ones.

    Source: Rabe & Staats 2021.
    Formula: `T S >= 2048 ** 2`

    Args:
        query: Tensor (B, T, D).
        value: Tensor (B, S, Dv).

    Example:
        >>> long, short = ops.ones((1, 4096, 2)), ops.ones((1, 512, 2))
        >>> [pays_in_blocks(x, x) for x in (long, short)]
        [True, False]
    """
    t, s = query.shape[1], value.shape[1]
    return isinstance(t, int) and isinstance(s, int) and t * s >= PAYS_FROM


def attend_in_blocks(
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
    """Dot-product attention of all heads, in O(n) memory if attention_mask is None.

    Source: Rabe & Staats 2021; shared heads: Ainslie et al. 2023, section 2.2.
    Formula: `c^h_t = sum_s w^h_ts v^g_s` with `w^h_ts = softmax_s(scale q^h_t . k^g_s)` and
    `g = h // (H / G)`

    Args:
        query: Tensor (B, H, T, K).
        key: Tensor (B, G, S, K).
        value: Tensor (B, G, S, Kv).
        scale: Factor of the scores; `1 / sqrt(K)` by default.
        attention_mask: Mask that broadcasts to (B, T, S) or (B, H, T, S).
        use_causal_mask: Whether to hide the future.
        query_mask: Mask (B, T).
        value_mask: Mask (B, S).
        key_mask: Mask (B, S).

    Outputs: Tensor (B, H, T, Kv).

    Example:
        >>> x = ops.ones((3, 4, 5, 13))
        >>> tuple(attend_in_blocks(x, x, x).shape)
        (3, 4, 5, 13)
    """
    mask = merge_attention_masks(
        query, value, attention_mask, value_mask=value_mask, key_mask=key_mask
    )
    if mask is not None and len(mask.shape) == 3:
        mask = ops.expand_dims(mask, 1)
    shared = query.shape[1] // key.shape[1]
    if shared > 1:
        key, value = (ops.repeat(x, shared, axis=1) for x in (key, value))
    contexts = blockwise_attention(query, key, value, mask, use_causal_mask, scale)
    if query_mask is None:
        return contexts
    # Beside the mask: within it, it would take O(n^2).
    return ops.where(ops.expand_dims(ops.expand_dims(query_mask, 1), -1), contexts, 0)
