"""Several heads of queries over one head of keys or values."""

from collections.abc import Callable
from typing import Any

from keras import ops


def shared_heads(function: Callable[[Any, Any], Any], x: Any, shared: Any) -> Any:
    """A function of each row of x and all rows of a head that several heads of x may share.

    The rows of heads that share one are put below one another, so that what they share is neither
    repeated nor read twice.

    Source: Ainslie et al. 2023, section 2.2 (grouped queries).
    Formula: `y[b, h] = function(x[b, h], shared[b, h // (H / G)])`

    Args:
        function: Takes (B, G, R, A) and shared, and gives (B, G, R, C), row by row.
        x: Tensor (B, H, T, A).
        shared: Tensor (B, G, S, E), G dividing H.

    Outputs: Tensor (B, H, T, C).

    Example:
        >>> weights, values = ops.ones((3, 4, 5, 7)), ops.ones((3, 2, 7, 11))
        >>> tuple(shared_heads(ops.matmul, weights, values).shape)
        (3, 4, 5, 11)
    """
    heads, groups = x.shape[1], shared.shape[1]
    if heads == groups:
        return function(x, shared)
    batch, _, length, width = ops.shape(x)
    y = function(ops.reshape(x, (batch, groups, heads // groups * length, width)), shared)
    return ops.reshape(y, (batch, heads, length, ops.shape(y)[-1]))
