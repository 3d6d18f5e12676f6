"""Texts as the input of an embedder."""

import keras

from zoo.preprocessing.text import TextPreprocessor
from zoo.tasks.formats.similar_texts import SimilarTexts
from zoo.tasks.inputs.texts import EncoderInput, reads_segments
from zoo.tasks.options.text_embedder import Settings
from zoo.text.tokenizer import Tokenizer


class SimilarTextInput(EncoderInput[Settings, TextPreprocessor, keras.Model, SimilarTexts]):
    """Single texts, each of which becomes a vector."""

    def make(self, tokenizer: Tokenizer, settings: Settings) -> TextPreprocessor:
        return TextPreprocessor(tokenizer, settings.max_length, start=reads_segments(settings))
