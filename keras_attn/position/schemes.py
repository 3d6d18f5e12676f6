"""The table of position schemes by name."""

from typing import Any

import keras

from keras_attn.position.alibi import AlibiBias
from keras_attn.position.relative import ShawPositions
from keras_attn.position.rotary import RotaryPositions
from keras_attn.position.scheme import PositionScheme

__all__ = ["AlibiBias", "PositionScheme", "RotaryPositions", "ShawPositions", "get_position"]

# Those that need no argument.
POSITIONS: dict[str, type[PositionScheme]] = {"rotary": RotaryPositions, "alibi": AlibiBias}


def get_position(name: Any, **kwargs: Any) -> PositionScheme:
    """A new position scheme of that name; a scheme is taken as it is.

    Args:
        name: One of the names above, a `PositionScheme`, the serialized form of one, or None for
            an attention that knows no positions.
        **kwargs: What a new scheme is made with, such as dtype.

    Raises:
        ValueError: If there is no such scheme.

    Example:
        >>> isinstance(get_position("rotary"), RotaryPositions)
        True
    """
    if name is None:
        return PositionScheme(**kwargs)
    if isinstance(name, dict):
        name = keras.saving.deserialize_keras_object(name)
    if isinstance(name, PositionScheme):
        return name
    if isinstance(name, str) and name in POSITIONS:
        return POSITIONS[name](**kwargs)
    raise ValueError(
        f"position must be one of {', '.join(POSITIONS)}, a position scheme such as "
        f"ShawPositions(max_distance=16), or None; received {name!r}."
    )
