"""The tensors of a decoding state, as one flat list and back."""

from collections.abc import Callable
from typing import Any

import keras
from keras import ops


def map_rows(function: Callable[[Any], Any], nest: Any) -> Any:
    """Applies a function to every tensor of a nest.

    Args:
        function: From tensor to tensor.
        nest: Tensors in dictionaries, lists and tuples.

    Outputs: A nest of the same structure.
    """
    return keras.tree.map_structure(function, nest)


def repeat_rows(nest: Any, times: int) -> Any:
    """Every row of every tensor, `times` in a row: (B, ...) -> (B times, ...)."""
    return map_rows(lambda x: ops.repeat(x, times, axis=0), nest)


def take_rows(nest: Any, rows: Any) -> Any:
    """The given rows of every tensor."""
    return map_rows(lambda x: ops.take(x, rows, axis=0), nest)
