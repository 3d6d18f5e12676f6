"""The parts of attention weights, and encoder blocks that return them."""

from collections.abc import Iterable
from typing import Any

PARTS = ENCODER, DECODER, CROSS = ("encoder", "decoder", "cross")
WORDS, SENTENCES = "words", "sentences"  # of a document
EDGES = "edges"  # of a graph


def read_blocks(
    blocks: Iterable[Any], x: Any, with_maps: bool = False, **masks: Any
) -> tuple[Any, list[Any]]:
    """Runs encoder blocks on top of each other.

    Args:
        blocks: The `EncoderBlock`s.
        x: Input of the first block, (B, T, D).
        with_maps: Whether to return attention weights.
        **masks: Masks of the blocks.

    Outputs: (B, T, D), and with `with_maps` the attention weights (B, H, T, T) of each block.
    """
    maps = []
    for block in blocks:
        x = block(x, return_attention_scores=with_maps, **masks)
        if with_maps:
            x, weights = x
            maps.append(weights)
    return x, maps
