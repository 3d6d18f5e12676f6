"""The evaluation of language models on running text: each token from the previous ones."""

from collections.abc import Callable, Mapping
from typing import Any

import keras
import numpy as np
import tensorflow as tf
from keras import ops

from zoo.data.batching.windows import TokenWindows
from zoo.preprocessing.base import BATCH, LENGTH, Features, TensorSpec
from zoo.preprocessing.model_inputs import next_token_inputs
from zoo.serving.inference import Inference, Run, Tensors
from zoo.tasks.likelihood import SCORE, Likelihood, score_inference, token_scores
from zoo.text.special_tokens import SpecialTokens


def next_token_inference(
    model: Any, special_tokens: SpecialTokens, values: tuple[int, int]
) -> Inference:
    """An inference of the log-probability of each token (B, T); 0 for the first token.

    Args:
        model: The model.
        special_tokens: The special tokens of the vocabulary.
        values: The least and the greatest id.
    """
    limit, pad = model.max_sequence_length, special_tokens.pad

    def prepare(features: Features) -> tuple[Tensors, Any]:
        # Columns beyond the limit can only be padding.
        tokens = features["token_ids"][:, : None if limit is None else limit + 1]
        return next_token_inputs(tokens, special_tokens)

    def compute(inputs: Tensors, labels: Any) -> Tensors:
        scores = token_scores(model(inputs)["logits"], labels, inputs["padding_mask"])
        return {"log_probabilities": ops.pad(scores["log_probabilities"], ((0, 0), (1, 0)))}

    shape = (BATCH, LENGTH)
    features = {"token_ids": TensorSpec(shape, "int32", pad, "the ids of a text", values)}
    return score_inference(features, prepare, compute, {"log_probabilities": shape})


def score_windows(
    windows: TokenWindows, run: Run, before_batch: Callable[[], None] = lambda: None
) -> Likelihood:
    """Computes loss and perplexity on windows of text, in order.

    Args:
        windows: The windows.
        run: Function that runs an inference by name.
        before_batch: Function called before each batch.
    """
    likelihood = Likelihood()
    for columns in windows.columns(shuffle=False):
        before_batch()
        token_ids = columns["token_ids"]
        log_p = run(SCORE, {"token_ids": token_ids})["log_probabilities"][:, 1:]
        labels = token_ids[:, 1:]
        counted = labels != windows.pad
        if windows.answers is not None:
            counted &= columns["is_answer"][:, 1:]
        likelihood.add(log_p, labels, labels, counted)
    return likelihood


class StatefulScorer:
    """Scores windows in order, and carries the recurrent states from window to window.

    The states that the model keeps in training are not changed.

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
            signature: Name of the signature, which is ignored.
            features: `token_ids` (1, T).
        """
        tokens = tf.constant(features["token_ids"])
        inputs, labels = next_token_inputs(tokens, self._special_tokens)
        given = {name: ops.convert_to_tensor(x.numpy()) for name, x in inputs.items()}
        outputs, self._cache = self._forward(given, self._cache)
        targets = ops.convert_to_tensor(labels.numpy())
        scores = token_scores(outputs["logits"], targets, given["padding_mask"])
        log_p = ops.convert_to_numpy(scores["log_probabilities"])
        return {"log_probabilities": np.pad(log_p, ((0, 0), (1, 0)))}
