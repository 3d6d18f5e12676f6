"""Metrics: two for `model.compile`, four that score texts, and a callback that computes the latter
after each epoch of `fit`.
"""

from keras_attn.metrics.corpus import BLEU, ChrF
from keras_attn.metrics.error_rate import CharacterErrorRate, WordErrorRate
from keras_attn.metrics.text_scores import TextScores
from keras_attn.metrics.token import MaskedAccuracy, Perplexity

__all__ = [
    "BLEU",
    "CharacterErrorRate",
    "ChrF",
    "MaskedAccuracy",
    "Perplexity",
    "TextScores",
    "WordErrorRate",
]
