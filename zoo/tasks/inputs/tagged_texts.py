"""The words of sentences as the input of a model."""

from collections.abc import Sequence
from typing import Any

import keras

from zoo.data.readers.tags import TaggedTexts
from zoo.preprocessing.text import TEXT
from zoo.preprocessing.words import WordPreprocessor
from zoo.tasks.inputs.texts import EncoderInput, listed
from zoo.tasks.options.token_tagger import Settings
from zoo.text.tokenizer import Tokenizer


class TaggedTextInput(EncoderInput[Settings, WordPreprocessor, keras.Model, TaggedTexts]):
    """Texts that are split at whitespace, or lists of words."""

    def make(self, tokenizer: Tokenizer, settings: Settings) -> WordPreprocessor:
        return WordPreprocessor(tokenizer, settings.max_length)

    def raw(
        self, data: Any, settings: Settings, preprocessor: WordPreprocessor
    ) -> dict[str, Sequence[Any]]:
        return {TEXT: [each if isinstance(each, str) else " ".join(each) for each in listed(data)]}
