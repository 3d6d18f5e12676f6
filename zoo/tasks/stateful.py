"""Scores windows of running text by a recurrent model whose states continue between them."""

from collections.abc import Mapping
from typing import Any

import keras
import numpy as np
import tensorflow as tf
from keras import ops

from zoo.preprocessing.model_inputs import next_token_inputs
from zoo.tasks.likelihood import token_scores
from zoo.text.special_tokens import SpecialTokens


class StatefulScorer:
    """Scores one window after another, each with the states after the window before.

    The states are not those that the model keeps in training, which stay as they are.

    Args:
        model: A model with `initial_cache` and `continue_from`.
        special_tokens: The special tokens of the vocabulary.
    """

    def __init__(self, model: Any, special_tokens: SpecialTokens) -> None:
        self._special_tokens, self._cache = special_tokens, model.initial_cache(1, None)
        self._forward = model.continue_from
        if keras.backend.backend() == "tensorflow":
            self._forward = tf.function(self._forward, autograph=False, reduce_retracing=True)

    def __call__(self, signature: str, features: Mapping[str, Any]) -> dict[str, np.ndarray]:
        """The log-probabilities of the tokens (1, T) of the next window, 0 for the first token.

        Args:
            signature: Name of the signature, as every `Run` is given it.
            features: `token_ids` (1, T).
        """
        tokens = tf.constant(features["token_ids"])
        inputs, labels = next_token_inputs(tokens, self._special_tokens)
        given = {name: ops.convert_to_tensor(x.numpy()) for name, x in inputs.items()}
        outputs, self._cache = self._forward(given, self._cache)
        targets = ops.convert_to_tensor(labels.numpy())
        found = token_scores(outputs["logits"], targets, given["padding_mask"])
        log_p = ops.convert_to_numpy(found["log_probabilities"])
        return {"log_probabilities": np.pad(log_p, ((0, 0), (1, 0)))}
