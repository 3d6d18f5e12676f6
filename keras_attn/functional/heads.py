"""Merging attention heads into the feature axis."""

from typing import Any

from keras import ops


def merge_heads(x: Any) -> Any:
    """Concatenates the heads along the feature axis.

    Formula: `y[b, t, h * K + k] = x[b, h, t, k]`

    Args:
        x: Tensor (B, H, T, K).

    Returns:
        Tensor (B, T, H * K).

    Example:
        >>> tuple(merge_heads(ops.zeros((3, 2, 5, 7))).shape)
        (3, 5, 14)
    """
    batch, heads, length, width = ops.shape(x)
    return ops.reshape(ops.transpose(x, (0, 2, 1, 3)), (batch, length, heads * width))
