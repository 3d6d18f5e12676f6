"""Blockwise computation of multi-head attention over long sequences."""

from typing import Any

from keras import ops

from keras_attn.attention.dot_scores import Dot, ScaledDot
from keras_attn.functional.blockwise import PAYS_FROM, blockwise_attention
from keras_attn.functional.masks import merge_attention_masks


def in_blocks(score: Any) -> bool:
    """Whether a score can be computed in blocks.

    Example:
        >>> in_blocks(Dot())
        True
    """
    return type(score) in (Dot, ScaledDot)


def scale_of(score: Any) -> float | None:
    """The factor of dot products in a score that can be computed in blocks; None: 1 / sqrt(K).

    Example:
        >>> scale_of(Dot()), scale_of(ScaledDot())
        (1.0, None)
    """
    scale: float | None = score.scale if isinstance(score, ScaledDot) else 1.0
    return scale


def pays_in_blocks(query: Any, value: Any) -> bool:
    """Whether the sequences are long enough for blockwise attention to be worth it.

    Lengths that are unknown when the layer is traced count as short: a graph that contained both
    variants would slow down all short sequences.

    Source: Rabe & Staats 2021.
    Formula: `T S >= 2048 ** 2`

    Args:
        query: Tensor (B, T, D).
        value: Tensor (B, S, Dv).

    Returns:
        Whether to compute attention in blocks.

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
    """Multi-head dot-product attention in O(n) memory, unless there is an `attention_mask`.

    Source: Rabe & Staats 2021; grouped heads: Ainslie et al. 2023, section 2.2.
    Formula: `c^h_t = sum_s w^h_ts v^g_s` with `w^h_ts = softmax_s(scale q^h_t . k^g_s)` and
        `g = h // (H / G)`

    Args:
        query: Queries (B, H, T, K).
        key: Keys (B, G, S, K).
        value: Values (B, G, S, Kv).
        scale: Factor of the scores. Defaults to `1 / sqrt(K)`.
        attention_mask: Mask that broadcasts to (B, T, S) or (B, H, T, S).
        use_causal_mask: Whether to mask future positions.
        query_mask: Mask (B, T).
        value_mask: Mask (B, S).
        key_mask: Mask (B, S).

    Returns:
        Contexts (B, H, T, Kv).

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
    # Applied to the contexts: as a part of the mask it would take O(n^2) memory.
    return ops.where(ops.expand_dims(ops.expand_dims(query_mask, 1), -1), contexts, 0)
