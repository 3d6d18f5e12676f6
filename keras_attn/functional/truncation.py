"""Truncation of the gradient of loops over time.

With `truncate=K`, no gradient passes from time t to time t - 1 where t is a multiple of K. Each
segment of K steps is then trained on its own, starting from the state that the previous segment
left (Williams & Peng 1990).
"""

from typing import Any

from keras import ops

from keras_attn.functional.sequence_steps import Tensors


def stops_before(t: Any, truncate: int) -> Any:
    """Whether the gradient stops between time t and the previous one.

    Source: Williams & Peng 1990.
    Formula: `t > 0 and t % K == 0`

    Args:
        t: Time, an integer or a scalar tensor.
        truncate: Number of steps K of a segment.

    Returns:
        Scalar bool tensor.

    Example:
        >>> [bool(stops_before(t, 2)) for t in range(5)]
        [False, False, True, False, True]
    """
    return ops.logical_and(t > 0, ops.equal(t % truncate, 0))


def truncated(states: Tensors, t: Any, truncate: int | None) -> Tensors:
    """Returns the states before time t, without gradient if it stops there.

    Source: Williams & Peng 1990.
    Formula: `s` with the gradient 0 where t is a positive multiple of K, otherwise `s`

    Args:
        states: Tensors (B, ·).
        t: Time, an integer or a scalar tensor.
        truncate: Number of steps K of a segment, or None to never stop the gradient.

    Returns:
        The states.

    Example:
        >>> (state,) = truncated([ops.ones(3)], 4, 2)
        >>> ops.convert_to_numpy(state).tolist()
        [1.0, 1.0, 1.0]
    """
    if truncate is None:
        return states
    stops = stops_before(t, truncate)
    return [ops.where(stops, ops.stop_gradient(state), state) for state in states]
