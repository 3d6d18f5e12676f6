"""Attention heads: their axis swapped with that of time, or merged into the feature axis."""

from typing import Any

from keras import ops


def swap_heads(x: Any) -> Any:
    """Swaps the axes of time and heads.

    Formula: `y[b, i, j, k] = x[b, j, i, k]`

    Args:
        x: Tensor (B, T, H, K) or (B, H, T, K).

    Returns:
        Tensor (B, H, T, K) or (B, T, H, K).

    Example:
        >>> tuple(swap_heads(ops.zeros((3, 5, 2, 7))).shape)
        (3, 2, 5, 7)
    """
    for axis, other in ((1, 2), (2, 1)):
        if x.shape[axis] == 1:  # nothing moves; and converters to ONNX mistake such a transposition
            return ops.expand_dims(ops.squeeze(x, axis), other)
    return ops.swapaxes(x, 1, 2)


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
