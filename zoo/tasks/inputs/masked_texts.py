"""Texts with masks as the input of an encoder."""

from collections.abc import Sequence
from typing import Any

import keras

from zoo.data.examples import ExampleRow
from zoo.preprocessing.text import TEXT, TextPreprocessor
from zoo.tasks.formats.masked_texts import MaskedTextExamples
from zoo.tasks.inputs.masked_sources import masked_rows, masked_sample
from zoo.tasks.inputs.texts import EncoderInput, listed, reads_segments
from zoo.tasks.options.masked_lm import Settings
from zoo.text.masked import spaced
from zoo.text.tokenizer import Tokenizer


class MaskedTextInput(EncoderInput[Settings, TextPreprocessor, keras.Model, MaskedTextExamples]):
    """Texts, in which a mask is always a separate word, even without a space before it."""

    def make(self, tokenizer: Tokenizer, settings: Settings) -> TextPreprocessor:
        return TextPreprocessor(tokenizer, settings.max_length, start=reads_segments(settings))

    def sample(self, examples: MaskedTextExamples, count: int) -> dict[str, list[Any]]:
        """The first sentences, each with one word masked."""
        return masked_sample(examples, count)

    def first_rows(self, examples: MaskedTextExamples, count: int) -> list[ExampleRow]:
        return masked_rows(examples, count)

    def raw(
        self, data: Any, settings: Settings, preprocessor: TextPreprocessor
    ) -> dict[str, Sequence[Any]]:
        return {TEXT: [spaced(text) for text in listed(data)]}
