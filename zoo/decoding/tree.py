"""The tensors of a decoding state, as one flat list and back."""

from collections.abc import Callable
from typing import Any

import keras
from keras import ops


def map_rows(function: Callable[[Any], Any], tree: Any) -> Any:
    """Applies a function to every tensor of a tree.

    Args:
        function: From tensor to tensor.
        tree: Tensors in dictionaries, lists and tuples.

    Outputs: A tree of the same structure.
    """
    return keras.tree.map_structure(function, tree)


def repeat_rows(tree: Any, times: int) -> Any:
    """Every row of every tensor, `times` in a row: (B, ...) -> (B times, ...)."""
    return map_rows(lambda x: ops.repeat(x, times, axis=0), tree)


def take_rows(tree: Any, rows: Any) -> Any:
    """The given rows of every tensor."""
    return map_rows(lambda x: ops.take(x, rows, axis=0), tree)
