"""When an attention of many heads works in blocks, and how."""

from typing import Any

from keras import ops

from keras_attn.attention.dot_scores import Dot, ScaledDot
from keras_attn.attention.head_attention import HeadAttention
from keras_attn.attention.normalizers import softmax
from keras_attn.functional.blockwise import PAYS_FROM, blockwise_attention
from keras_attn.functional.masks import merge_attention_masks

SCALES = {Dot: 1.0, ScaledDot: None}  # None is that of ScaledDot


def pays_in_blocks(attention: HeadAttention, query: Any, value: Any, training: Any) -> bool:
    """Whether there are so many queries and keys, and nothing that blocks cannot do.

    Lengths that are not known when the layer is called or traced count as short: a graph with both
    forms in it would burden all the short ones.

    Source: Rabe & Staats 2021.
    Formula: `T S >= 2048 ** 2`

    Args:
        attention: The attention of the heads.
        query: Tensor (B, T, D).
        value: Tensor (B, S, Dv).
        training: Whether weights would be dropped.

    Example:
        >>> long, short = ops.ones((1, 4096, 2)), ops.ones((1, 512, 2))
        >>> attention = HeadAttention()
        >>> [pays_in_blocks(attention, x, x, False) for x in (long, short)]
        [True, False]
    """
    lengths = query.shape[1], value.shape[1]
    if not all(isinstance(length, int) for length in lengths):
        return False
    able = type(attention.score) in SCALES and attention.normalizer is softmax
    able = able and attention.position.only_places and not (training and attention.dropout)
    return able and lengths[0] * lengths[1] >= PAYS_FROM


def attend_in_blocks(
    attention: HeadAttention,
    query: Any,
    prepared: Any,
    value: Any,
    attention_mask: Any = None,
    use_causal_mask: bool = False,
    query_mask: Any = None,
    value_mask: Any = None,
    key_mask: Any = None,
) -> Any:
    """The contexts of `attention.attend`, in O(n) memory if attention_mask is None.

    Source: Rabe & Staats 2021.
    Formula: That of `HeadAttention`

    Args:
        attention: The attention of the heads.
        query: Tensor (B, H, T, K).
        prepared: Tensor (B, G, S, K).
        value: Tensor (B, G, S, Kv).
        attention_mask: Mask that broadcasts to (B, T, S) or (B, H, T, S).
        use_causal_mask: Whether to hide the future.
        query_mask: Mask (B, T).
        value_mask: Mask (B, S).
        key_mask: Mask (B, S).

    Outputs: Tensor (B, H, T, Kv).

    Example:
        >>> x = ops.ones((3, 4, 5, 13))
        >>> tuple(attend_in_blocks(HeadAttention(), x, x, x).shape)
        (3, 4, 5, 13)
    """
    mask = merge_attention_masks(
        query, value, attention_mask, value_mask=value_mask, key_mask=key_mask
    )
    if mask is not None and len(mask.shape) == 3:
        mask = ops.expand_dims(mask, 1)
    query = attention.position.place(ops.cast(query, attention.compute_dtype), 0)
    value = ops.cast(value, attention.compute_dtype)
    shared = query.shape[1] // prepared.shape[1]
    if shared > 1:
        prepared, value = (ops.repeat(x, shared, axis=1) for x in (prepared, value))
    scale = SCALES[type(attention.score)]
    contexts = blockwise_attention(query, prepared, value, mask, use_causal_mask, scale)
    if query_mask is None:
        return contexts
    # Beside the mask: within it, it would take O(n^2).
    return ops.where(ops.expand_dims(ops.expand_dims(query_mask, 1), -1), contexts, 0)
