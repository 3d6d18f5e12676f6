"""Causal Transformer blocks on top of each other, computed step by step."""

from collections.abc import Iterable
from typing import Any

from keras_attn.blocks.encoder import EncoderBlock


def initial_caches(blocks: Iterable[EncoderBlock], batch_size: Any, max_length: Any) -> list[Any]:
    """The cache of each block before the first position."""
    return [block.initial_cache(batch_size, max_length) for block in blocks]


def step_blocks(
    blocks: Iterable[EncoderBlock],
    x: Any,
    caches: list[Any],
    index: Any,
    attention_mask: Any = None,
    count: Any = None,
) -> tuple[Any, list[Any]]:
    """Runs all blocks on a few positions, given the state after the previous ones.

    Args:
        blocks: The blocks, from the lowest.
        x: Hidden states (B, T, D).
        caches: The cache of each block.
        index: Index of the first position.
        attention_mask: See `EncoderBlock.step`.
        count: See `EncoderBlock.step`.

    Outputs: Hidden states (B, T, D) and the new caches.

    Example:
        >>> import keras
        >>> block = EncoderBlock(num_heads=2, intermediate_dim=7)
        >>> x = keras.random.normal((3, 5, 4))
        >>> whole = block(x, use_causal_mask=True)
        >>> steps, _ = step_blocks([block], x, initial_caches([block], 3, 5), 0)
        >>> bool(keras.ops.all(keras.ops.isclose(steps, whole, atol=1e-5)))
        True
    """
    written = []
    for block, cache in zip(blocks, caches, strict=True):
        x, cache = block.step(x, cache, index, attention_mask, count)
        written.append(cache)
    return x, written
