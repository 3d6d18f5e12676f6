"""Operations on all tensors of a decoding state."""

from collections.abc import Callable
from typing import Any

import keras
from keras import ops


def map_rows(function: Callable[[Any], Any], tree: Any) -> Any:
    """Applies a function to every tensor of a pytree.

    Args:
        function: Function from a tensor to a tensor.
        tree: Nested dictionaries, lists and tuples of tensors.

    Returns:
        A pytree of the same structure.
    """
    return keras.tree.map_structure(function, tree)


def repeat_rows(tree: Any, times: int) -> Any:
    """Repeats each row of every tensor: (B, ...) -> (B times, ...)."""
    return map_rows(lambda x: ops.repeat(x, times, axis=0), tree)


def take_rows(tree: Any, rows: Any) -> Any:
    """Gathers the given rows of every tensor."""
    return map_rows(lambda x: ops.take(x, rows, axis=0), tree)
