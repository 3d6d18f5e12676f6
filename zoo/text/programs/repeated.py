"""Loops, and the same steps without a loop, for runtimes that take files of one subgraph."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import tensorflow as tf

_UNROLLED: ContextVar[bool] = ContextVar("unrolled", default=False)


@contextmanager
def unrolled() -> Iterator[None]:
    """A context in which `repeated` writes every step that a loop could take."""
    token = _UNROLLED.set(True)
    try:
        yield
    finally:
        _UNROLLED.reset(token)


def repeated(
    continues: Callable[..., Any], body: Callable[..., tuple], state: tuple, most: int | None
) -> tuple:
    """Repeats a step while a condition holds.

    Args:
        continues: Function from the state to whether another step changes anything.
        body: Function from the state to the next state, which is the same from the step on after
            which `continues` is False.
        state: The first state.
        most: The greatest possible number of steps; None if it is unknown, as in graphs of any
            size, which always have a loop.

    Example:
        >>> halve = lambda x: (x // 2,)
        >>> with unrolled():
        ...     int(repeated(lambda x: x > 0, halve, (tf.constant(9),), most=5)[0])
        0
    """
    if most is None or not _UNROLLED.get():
        return tf.while_loop(continues, body, state)
    for _ in range(most):
        state = body(*state)
    return state
