"""The inputs of models that read one sequence of tokens, or one document."""

import keras

from zoo.models.zoo_model import Tensors


def token_inputs(axes: int = 1) -> Tensors:
    """Symbolic inputs `token_ids` and `padding_mask`.

    Args:
        axes: Number of axes after the batch: 1 for (B, T), or 2 for (B, S, W), the sentences and
            words of a document.

    Example:
        >>> token_inputs(axes=2)["token_ids"].shape
        (None, None, None)
    """
    shape = (None,) * axes
    return {
        "token_ids": keras.Input(shape, dtype="int32", name="token_ids"),
        "padding_mask": keras.Input(shape, dtype="bool", name="padding_mask"),
    }
