"""The axes along which weights are split between devices, for models with Transformer blocks."""

import re
from collections.abc import Sequence

# The end of the path of a weight, and the axes that can be split, the preferred one first. Of two
# projections in a row, the axis between them is split, so that devices add up their outputs once.
RULES = (
    (r"(source_|target_)?embedding/embeddings", (0, 1)),  # vocabulary, width
    (r"(query|key|value|gate)/kernel", (1,)),  # width, heads, size of a head
    (r"(query|key|value|gate)/bias", (0,)),
    (r"attention_output/kernel", (0,)),  # heads, size of a head, width
    (r"feed_forward(_\d+)?/hidden/kernel", (1,)),  # width, hidden width
    (r"feed_forward(_\d+)?/hidden/bias", (0,)),
    (r"feed_forward(_\d+)?/output/kernel", (0,)),  # hidden width, width
)


def axes_to_split(path: str) -> tuple[int, ...]:
    """The axes along which a weight can be split, the preferred one first; empty for most weights.

    Source: Shoeybi et al. 2019, "Megatron-LM", section 3.

    Args:
        path: Path of the weight.

    Example:
        >>> axes_to_split("encoder_0/attention/query/kernel"), axes_to_split("norm/gamma")
        ((1,), ())
    """
    matches = (axes for pattern, axes in RULES if re.search(f"(^|/){pattern}$", path))
    return next(matches, ())


def axis_to_split(path: str, shape: Sequence[int], count: int) -> int | None:
    """The axis along which a weight is split into a number of equal parts, or None.

    Args:
        path: Path of the weight.
        shape: Its shape.
        count: Number of parts.

    Example:
        >>> axis_to_split("embedding/embeddings", (8000, 128), 8)
        0
        >>> axis_to_split("embedding/embeddings", (8001, 128), 8)  # the vocabulary does not divide
        1
        >>> axis_to_split("block_0/attention/query/kernel", (128, 2, 64), 8)  # two heads
    """
    axes = axes_to_split(path) if count > 1 else ()
    return next((axis for axis in axes if shape[axis] % count == 0), None)
