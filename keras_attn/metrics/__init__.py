"""Metrics: two that run inside a compiled model, two that score whole texts."""

from keras_attn.metrics.corpus import BLEU, ChrF
from keras_attn.metrics.token import MaskedAccuracy, Perplexity

__all__ = ["BLEU", "ChrF", "MaskedAccuracy", "Perplexity"]
