"""The names of the outputs of a Keras model."""

from typing import Any

import keras


def named(outputs: Any) -> dict[str, Any]:
    """Outputs by name; those without one are `output_0`, `output_1`, ...

    Example:
        >>> named([3, 5])
        {'output_0': 3, 'output_1': 5}
    """
    if isinstance(outputs, dict):
        return outputs
    return {f"output_{i}": x for i, x in enumerate(keras.tree.flatten(outputs))}
