"""Texts with masks as the input of a denoising autoencoder, which restores them."""

from collections.abc import Sequence
from typing import Any

from zoo.data.examples import ExampleRow
from zoo.data.pretraining.corruption import Corruption
from zoo.models.options import has_option
from zoo.preprocessing.text import TEXT, TextPreprocessor
from zoo.tasks.formats.plain_text import DocumentExamples
from zoo.tasks.inputs.text_sources import TextSourceInput
from zoo.tasks.inputs.texts import listed
from zoo.tasks.options.denoising import Settings
from zoo.text.masked import masked_word, spaced


class MaskedSourceInput(TextSourceInput[Settings, DocumentExamples]):
    """Texts with masks, each of which may stand for any number of words."""

    def check(self, settings: Settings) -> None:
        super().check(settings)
        Corruption(tuple(settings.corruptions))  # validates them

    def sizes(self, settings: Settings, preprocessor: TextPreprocessor) -> dict[str, Any]:
        sizes = super().sizes(settings, preprocessor)
        if has_option(settings.model, "max_sequence_length"):  # it has position embeddings
            sizes["max_sequence_length"] = settings.max_length
        return sizes

    def sample(self, examples: DocumentExamples, count: int) -> dict[str, list[Any]]:
        """The first sentences, each with one word masked."""
        return masked_sample(examples, count)

    def first_rows(self, examples: DocumentExamples, count: int) -> list[ExampleRow]:
        return masked_rows(examples, count)

    def raw(
        self, data: Any, settings: Settings, preprocessor: TextPreprocessor
    ) -> dict[str, Sequence[Any]]:
        # A mask is always a separate word, even without a space before it.
        return {TEXT: [spaced(text) for text in listed(data)]}


def masked_sample(examples: DocumentExamples, count: int) -> dict[str, list[Any]]:
    """The first sentences, each with one word masked; of prepared data what was kept."""
    if examples.is_prepared:
        return examples.sample(count)
    return {TEXT: [masked_word(text) for text in examples.sentences()[:count]]}


def masked_rows(examples: DocumentExamples, count: int) -> list[ExampleRow]:
    """The first sentences with one word masked, and as they were."""
    rows = [(masked_word(text), text) for text in examples.sentences()[:count]]
    return [ExampleRow(masked, masked, text) for masked, text in rows]
