"""Metrics: two that run inside a compiled model, four that score whole texts."""

from keras_attn.metrics.corpus import BLEU, ChrF
from keras_attn.metrics.error_rate import CharacterErrorRate, WordErrorRate
from keras_attn.metrics.token import MaskedAccuracy, Perplexity

__all__ = [
    "BLEU",
    "CharacterErrorRate",
    "ChrF",
    "MaskedAccuracy",
    "Perplexity",
    "WordErrorRate",
]
