"""Calls of the self-attention of a block, for whole sequences and in steps."""

from typing import Any

from keras import ops

from keras_attn.blocks.self_attention import accepts


def attend_to_itself(
    attention: Any,
    x: Any,
    value_mask: Any,
    use_causal_mask: bool,
    attention_mask: Any = None,
    return_attention_scores: bool = False,
    training: bool | None = None,
) -> tuple[Any, Any]:
    """Calls the self-attention of a block.

    Args:
        attention: A layer with the protocol `SelfAttention`.
        x: Tensor (B, T, D).
        value_mask: Mask (B, T).
        use_causal_mask: Whether to mask future positions.
        attention_mask: Mask that broadcasts to (B, T, T).
        return_attention_scores: Whether to return the attention weights, too.
        training: Whether to apply dropout.

    Returns:
        The output (B, T, D), and the attention weights or None.
    """
    options: dict[str, Any] = {}
    if attention_mask is not None:
        options["attention_mask"] = attention_mask
    if return_attention_scores:
        options["return_attention_scores"] = True
    result = attention(
        x,
        x,
        value_mask=value_mask,
        use_causal_mask=use_causal_mask,
        training=training,
        **options,
    )
    return result if return_attention_scores else (result, None)


def step_of(
    attention: Any, x: Any, cache: Any, index: Any, attention_mask: Any = None, count: Any = None
) -> tuple[Any, Any]:
    """Computes steps of the self-attention of a block, as `SelfAttention.step` does."""
    x = ops.cast(x, attention.compute_dtype)  # `step` does not cast its inputs, unlike a call
    if attention_mask is None:
        return attention.step(x, cache, index, count=count)
    check_accepts(attention, "attention_mask")
    return attention.step(x, cache, index, attention_mask, count=count)


def weights_spec(attention: Any, sequence: Any) -> Any:
    """The symbolic attention weights of the self-attention of a block."""
    return attention.compute_output_spec(sequence, sequence, return_attention_scores=True)[1]


def check_accepts(attention: Any, argument: str) -> None:
    """Raises if the `call` of a layer does not have an optional argument of the protocol.

    Example:
        >>> import keras
        >>> check_accepts(keras.layers.Dense(5), "attention_mask")
        Traceback (most recent call last):
        ValueError: the attention Dense of this block has no attention_mask.
    """
    if not accepts(attention, argument):
        raise ValueError(
            f"the attention {type(attention).__name__} of this block has no {argument}."
        )
