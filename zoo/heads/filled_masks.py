"""Filled masks as answers: a text with the most probable token at each mask."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import tensorflow as tf

from zoo.preprocessing.base import Features
from zoo.preprocessing.text import TextPreprocessor
from zoo.serving.inference import Tensors
from zoo.text.form import TextForm


@dataclass(frozen=True)
class FilledMasksHead:
    """The text with its masks filled, from the best tokens at each; a `zoo.heads.head.Head`.

    Args:
        preprocessor: Texts to ids and back.
    """

    preprocessor: TextPreprocessor

    @property
    def meanings(self) -> dict[str, str]:
        mask = self.preprocessor.tokenizer.special_tokens.mask
        return {
            "token_ids": f"the most probable tokens for each mask {mask}, best first; 0 elsewhere",
            "scores": "their probabilities; 0 elsewhere",
            "text": "the text with its masks filled",
            "score": "the product of the probabilities of what was filled in",
        }

    @property
    def files(self) -> dict[str, str]:
        return {}

    def postprocess(self, outputs: Tensors, features: Features, form: TextForm) -> Tensors:
        best, scores = outputs["token_ids"][:, :, 0], outputs["scores"][:, :, 0]
        special, limit = self.preprocessor.tokenizer.special_tokens, self.preprocessor.max_length
        token_ids = features["token_ids"][:, :limit]
        is_mask = tf.equal(token_ids, special.mask)
        ids = tf.where(is_mask, best, token_ids)
        room = limit - tf.shape(ids)[1]
        # Joining tokens in LiteRT requires a static length.
        padded = tf.pad(ids, [[0, 0], [0, room]], constant_values=special.pad)
        ids = tf.reshape(padded, [-1, limit])
        ones = tf.ones_like(scores)
        return {
            **self.preprocessor.text(ids, form),
            "score": tf.exp(tf.reduce_sum(tf.math.log(tf.where(is_mask, scores, ones)), axis=1)),
        }

    def result(self, row: Mapping[str, Any]) -> str:
        return row["text"].decode(errors="replace")

    def text(self, result: str) -> str:
        return result
