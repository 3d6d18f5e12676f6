"""Boolean attention masks: True for positions to attend to, False for positions to ignore.

Every mask broadcasts to (B, T, S). Lengths may be Python integers or scalar tensors, so the same
functions work with static shapes, with unknown shapes and in decoding loops.
"""

from typing import Any

from keras import ops

from keras_attn.dense_only import dense_only


@dense_only
def padding_mask(lengths: Any, max_length: Any) -> Any:
    """Padding mask: True at the valid positions of padded sequences.

    Source: Vaswani et al. 2017, section 3.2.3 (masking out positions before the softmax).
    Formula: `mask[b, s] = s < lengths[b]`

    Args:
        lengths: Integer tensor (B,), the length of each sequence.
        max_length: Padded length S.

    Returns:
        Bool tensor (B, S).

    Example:
        >>> from keras import ops
        >>> from keras_attn import padding_mask
        >>> ops.convert_to_numpy(padding_mask([1, 3], 3)).astype(int).tolist()
        [[1, 0, 0], [1, 1, 1]]
    """
    lengths = ops.cast(lengths, "int32")
    return ops.less(_row(max_length), ops.expand_dims(lengths, -1))


@dense_only
def causal_mask(query_length: Any, key_length: Any = None, offset: Any = 0) -> Any:
    """Causal mask: True where the key is not after the query.

    Source: Vaswani et al. 2017, section 3.2.3.
    Formula: `mask[0, t, s] = s <= t + offset`

    Args:
        query_length: Number of queries T.
        key_length: Number of keys S. Defaults to T.
        offset: Position of the first query among the keys; non-zero when decoding with a cache.

    Returns:
        Bool tensor (1, T, S).

    Example:
        >>> from keras import ops
        >>> from keras_attn import causal_mask
        >>> ops.convert_to_numpy(causal_mask(3)[0]).astype(int).tolist()
        [[1, 0, 0], [1, 1, 0], [1, 1, 1]]
    """
    key_length = query_length if key_length is None else key_length
    return ops.less_equal(_row(key_length), ops.add(_column(query_length), offset))


@dense_only
def prefix_mask(prefix_lengths: Any, length: Any) -> Any:
    """Prefix mask: causal, except that every position can attend to the whole prefix.

    Source: Raffel et al. 2020, section 3.2.1, figure 4 (the prefix language model).
    Formula: `mask[b, t, s] = s <= t or s < prefix_lengths[b]`

    Args:
        prefix_lengths: Integer tensor (B,), the length of each prefix.
        length: Sequence length T.

    Returns:
        Bool tensor (B, T, T).

    Example:
        >>> from keras import ops
        >>> from keras_attn import prefix_mask
        >>> ops.convert_to_numpy(prefix_mask([2], 3)[0]).astype(int).tolist()
        [[1, 1, 0], [1, 1, 0], [1, 1, 1]]
    """
    prefix = ops.expand_dims(padding_mask(prefix_lengths, length), 1)
    return ops.logical_or(causal_mask(length), prefix)


@dense_only
def local_mask(query_length: Any, key_length: Any, window: Any) -> Any:
    """Sliding-window mask: True where the key is at most `window` positions from the query.

    Source: Vaswani et al. 2017, section 4 (restricted self-attention); Beltagy et al. 2020.
    Formula: `mask[0, t, s] = |t - s| <= window`

    Args:
        query_length: Number of queries T.
        key_length: Number of keys S.
        window: Number of positions that a query can attend to on either side.

    Returns:
        Bool tensor (1, T, S).

    Example:
        >>> from keras import ops
        >>> from keras_attn import local_mask
        >>> ops.convert_to_numpy(local_mask(3, 3, 1)[0]).astype(int).tolist()
        [[1, 1, 0], [1, 1, 1], [0, 1, 1]]
    """
    distance = ops.abs(ops.subtract(_column(query_length), _row(key_length)))
    return ops.less_equal(distance, window)


def merge_masks(*masks: Any) -> Any:
    """Combines masks with a logical and; None stands for no mask.

    Formula: `mask = masks[0] and masks[1] and ...`

    Args:
        *masks: Tensors that broadcast together, or None.

    Returns:
        Bool tensor of the broadcast shape, or None if all masks are None.

    Example:
        >>> ops.convert_to_numpy(merge_masks(None, [True, True], None, [False, True])).tolist()
        [False, True]
        >>> merge_masks(None, None) is None
        True
    """
    merged = None
    for mask in masks:
        if mask is not None:
            mask = ops.cast(mask, "bool")
            merged = mask if merged is None else ops.logical_and(merged, mask)
    return merged


def merge_attention_masks(
    query: Any,
    value: Any,
    attention_mask: Any = None,
    use_causal_mask: bool = False,
    query_mask: Any = None,
    value_mask: Any = None,
    key_mask: Any = None,
) -> Any:
    """Combines all masks of an attention layer into one.

    Formula: `mask[b, t, s] = attention_mask[b, t, s] and query_mask[b, t] and value_mask[b, s] and
        key_mask[b, s] and (s <= t if causal)`

    Args:
        query: Tensor (B, T, D); only its length is used.
        value: Tensor (B, S, D); only its length is used.
        attention_mask: Mask that broadcasts to (B, T, S) or (B, H, T, S).
        use_causal_mask: Whether to mask future positions.
        query_mask: Mask (B, T).
        value_mask: Mask (B, S).
        key_mask: Mask (B, S).

    Returns:
        Bool tensor that broadcasts to (B, T, S), or to (B, H, T, S) if `attention_mask` has four
        axes; None if there is nothing to mask.

    Example:
        >>> x = ops.zeros((1, 2, 5))
        >>> mask = merge_attention_masks(x, x, use_causal_mask=True)
        >>> ops.convert_to_numpy(mask).astype(int).tolist()
        [[[1, 0], [1, 1]]]
    """
    causal = causal_mask(ops.shape(query)[-2], ops.shape(value)[-2]) if use_causal_mask else None
    mask = merge_masks(
        causal,
        None if query_mask is None else ops.expand_dims(query_mask, -1),
        for_all_queries(value_mask),
        for_all_queries(key_mask),
    )
    if mask is not None and attention_mask is not None and len(attention_mask.shape) == 4:
        mask = ops.expand_dims(mask, 1)
    return merge_masks(mask, attention_mask)


def for_all_queries(mask: Any) -> Any:
    """Expands a mask of keys for all queries: (..., S) to (..., 1, S); None stays None.

    Example:
        >>> tuple(for_all_queries(ops.ones((3, 7), "bool")).shape)
        (3, 1, 7)
    """
    return None if mask is None else ops.expand_dims(mask, -2)


def zero_masked(x: Any, mask: Any) -> Any:
    """Sets masked positions to zero, even those that are NaN or infinite.

    Weights of zero would not keep them out, since zero times NaN is NaN, in the gradient as well.

    Formula: `y_t = x_t` where mask_t is True, otherwise 0

    Args:
        x: Tensor (..., T, D).
        mask: Mask that broadcasts to (..., T); None for no mask.

    Returns:
        Tensor of the shape and dtype of `x`.

    Example:
        >>> x = ops.array([[[1.0], [float("nan")]]])
        >>> ops.convert_to_numpy(zero_masked(x, ops.array([[True, False]]))).ravel().tolist()
        [1.0, 0.0]
    """
    if mask is None:
        return x
    return ops.where(ops.expand_dims(ops.cast(mask, "bool"), -1), x, 0)


def zero_masked_inputs(
    query: Any,
    value: Any,
    key: Any = None,
    attention_mask: Any = None,
    query_mask: Any = None,
    value_mask: Any = None,
    key_mask: Any = None,
) -> tuple[Any, Any, Any]:
    """Sets queries that are masked, and values and keys that no query attends to, to zero.

    Args:
        query: Tensor (B, T, D).
        value: Tensor (B, S, Dv).
        key: Tensor (B, S, Dk), or None.
        attention_mask: Mask that broadcasts to (B, T, S) or (B, H, T, S).
        query_mask: Mask (B, T).
        value_mask: Mask (B, S).
        key_mask: Mask (B, S).

    Returns:
        Query, value and key; see `zero_masked`.

    Example:
        >>> x, mask = ops.ones((1, 2, 1)), ops.array([[[True, False], [True, False]]])
        >>> ops.convert_to_numpy(zero_masked_inputs(x, x, attention_mask=mask)[1]).ravel().tolist()
        [1.0, 0.0]
    """
    seen = None
    if attention_mask is not None:
        seen = ops.any(attention_mask, axis=-2)
        if len(seen.shape) == len(value.shape):  # of any head
            seen = ops.any(seen, axis=-2)
    seen = merge_masks(seen, value_mask, key_mask)
    key = key if key is None else zero_masked(key, seen)
    return zero_masked(query, query_mask), zero_masked(value, seen), key


def _row(length: Any) -> Any:
    """Key positions: (1, S), or (1, 1, S) once broadcast against a column."""
    return ops.expand_dims(ops.arange(length, dtype="int32"), 0)


def _column(length: Any) -> Any:
    """Query positions, (1, T, 1)."""
    return ops.expand_dims(ops.expand_dims(ops.arange(length, dtype="int32"), 0), -1)
