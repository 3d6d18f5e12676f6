"""The options of recurrent decoders about their attention to the memory."""

from typing import Any

from keras_attn.attention.attention import Attention
from keras_attn.attention.linear import LinearAttention
from keras_attn.attention.memory import MemoryAttention
from keras_attn.attention.multi_head import MultiHeadAttention
from keras_attn.attention.random_feature import RandomFeatureAttention

SINGLE_HEAD, MULTI_HEAD = "single_head", "multi_head"
# Without attention weights, which a score and a normalizer would compute.
LINEAR = {"linear": LinearAttention, "random_feature": RandomFeatureAttention}
MEMORY_ATTENTIONS = (SINGLE_HEAD, MULTI_HEAD, *LINEAR)
SCORE, NORMALIZER = "additive", "softmax"  # the defaults


def create_memory_attention(
    attention: str, units: int, num_heads: int, score: str, normalizer: str, dtype: Any = None
) -> MemoryAttention:
    """Creates the attention of an `AttentionCell`.

    Args:
        attention: "single_head" (`Attention`), "multi_head" (`MultiHeadAttention`), "linear"
            (`LinearAttention`) or "random_feature" (`RandomFeatureAttention`).
        units: Width of the queries, which is also that of the contexts, but with "single_head".
        num_heads: Number of heads, which must divide `units`; not used with "single_head".
        score: Name of the score.
        normalizer: Name of the normalizer.
        dtype: Dtype policy.

    Raises:
        ValueError: If the attention is unknown, the number of heads does not divide `units`, or a
            score or a normalizer is given with "linear" or "random_feature", which have none.

    Example:
        >>> create_memory_attention("multi_head", 16, 2, "general", "sparsemax").key_dim
        8
    """
    if attention not in MEMORY_ATTENTIONS:
        choices = ", ".join(MEMORY_ATTENTIONS)
        raise ValueError(f"attention must be one of {choices}; received {attention!r}.")
    if attention == SINGLE_HEAD:
        single: MemoryAttention = Attention(score=score, normalizer=normalizer, dtype=dtype)
        return single
    if units % num_heads:
        raise ValueError(f"num_heads must divide units = {units}; received {num_heads}.")
    heads = {"num_heads": num_heads, "key_dim": units // num_heads, "dtype": dtype}
    if attention == MULTI_HEAD:
        return MultiHeadAttention(**heads, score=score, normalizer=normalizer)
    for name, value, usual in (("score", score, SCORE), ("normalizer", normalizer, NORMALIZER)):
        if value != usual:
            raise ValueError(
                f"{name} requires attention='single_head' or 'multi_head', since attention "
                f"{attention!r} has no scores; received {value!r}."
            )
    return LINEAR[attention](**heads)
