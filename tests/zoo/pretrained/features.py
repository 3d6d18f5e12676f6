"""Texts as the ids and the inputs that a task's model gets."""

from typing import Any

import numpy as np
from keras import ops

from zoo.preprocessing.model_inputs import encoder_inputs, source_inputs
from zoo.preprocessing.text import TEXT


def ids_of(task: Any, texts: list[str]) -> np.ndarray:
    """Padded ids (B, T)."""
    ids: np.ndarray = task.preprocessor.read({TEXT: texts})["token_ids"]
    return ids


def inputs_of(task: Any, ids: Any) -> dict[str, Any]:
    """The inputs of an encoder, or of the encoder of an encoder-decoder."""
    model, special = task.model, task.special_tokens
    take = encoder_inputs if "token_ids" in model.input else source_inputs
    return take(ops.convert_to_tensor(ids), special, model.max_sequence_length)
