"""Position schemes by name."""

from typing import Any

import keras

from keras_attn.position.alibi import AlibiBias
from keras_attn.position.relative import ShawPositions
from keras_attn.position.rotary import RotaryPositions
from keras_attn.position.scheme import PositionScheme

__all__ = ["AlibiBias", "PositionScheme", "RotaryPositions", "ShawPositions", "get_position"]

# The schemes that need no arguments.
POSITIONS: dict[str, type[PositionScheme]] = {"rotary": RotaryPositions, "alibi": AlibiBias}


def get_position(name: Any, **kwargs: Any) -> PositionScheme:
    """Returns a position scheme by name.

    Args:
        name: A name from `POSITIONS`; a `PositionScheme`, which is returned as is, or its
            serialized form; or None for attention without positions.
        **kwargs: Arguments of the new scheme, such as dtype.

    Returns:
        A `PositionScheme`.

    Raises:
        ValueError: If the name is unknown.

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
