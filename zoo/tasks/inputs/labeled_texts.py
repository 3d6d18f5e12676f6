"""Texts, pairs of texts and documents that are classified, as the input of a model."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import keras

from zoo.data.readers.labels import LabeledTexts
from zoo.data.shards.examples import PreparedExamples
from zoo.errors import UserError
from zoo.models.options import has_option
from zoo.preprocessing.documents import DocumentPreprocessor
from zoo.preprocessing.text import SECOND, TEXT, TextPreprocessor, TokenPreprocessor
from zoo.tasks.inputs.raw_texts import RawTexts, listed
from zoo.tasks.inputs.term_choice import NGRAMS, prefers_characters
from zoo.tasks.inputs.texts import EncoderInput, reads_segments, reads_sentences
from zoo.tasks.inputs.tokenizer_choice import TokenizerChoice
from zoo.tasks.labels import check_pairs
from zoo.tasks.options.common import AUTO, CHARACTERS, WORDS
from zoo.tasks.options.text_classifier import Settings
from zoo.text.tokenizer import Tokenizer

LabeledTextExamples = LabeledTexts | PreparedExamples

OF_CHARACTERS = {"ngrams": NGRAMS, "ngram_weight": 1.0}  # of models with n-grams


def labeled_text_input(
    task: str,
) -> EncoderInput[Settings, TokenPreprocessor, keras.Model, LabeledTextExamples]:
    """Texts, pairs of texts, or documents of sentences, as the model reads them."""

    def make(tokenizer: Tokenizer, settings: Settings) -> TokenPreprocessor:
        length, pairs = settings.max_length, bool(settings.pairs)
        if not reads_sentences(settings, task):
            return TextPreprocessor(tokenizer, length, pairs, start=reads_segments(settings))
        if pairs:
            raise UserError(f"{settings.model} classifies documents, and not pairs of texts")
        return DocumentPreprocessor(tokenizer, length, int(settings.max_sentence_length or 0))

    return EncoderInput(task, make, TextsToLabel(task), WordsOrCharacters())


@dataclass(frozen=True)
class TextsToLabel(RawTexts[Settings, LabeledTextExamples]):
    """Texts, or pairs of texts, as the settings say.

    Args:
        task: Name of the task.
    """

    task: str

    def check(self, settings: Settings) -> None:
        model, given = settings.model, settings.max_sentence_length is not None
        reads = reads_sentences(settings, self.task)
        if given and not reads:
            raise UserError(f"{model} does not take max_sentence_length; only han does")
        if reads and not given:
            raise UserError(f"{model} requires max_sentence_length")

    def check_examples(self, examples: LabeledTextExamples, settings: Settings) -> None:
        if isinstance(examples, LabeledTexts):
            check_pairs(examples.path, examples.seconds is not None, bool(settings.pairs))

    def raw(self, data: Any, settings: Settings) -> dict[str, Sequence[Any]]:
        pairs = bool(settings.pairs)
        for row in listed(data):
            check_pairs("texts", not isinstance(row, str), pairs)
        if not pairs:
            return {TEXT: data}
        return {TEXT: [first for first, _ in data], SECOND: [second for _, second in data]}


class WordsOrCharacters(TokenizerChoice[Settings, LabeledTextExamples]):
    """Words or characters if settings say "auto", and n-grams of characters in models with n-grams.

    Pairs of texts have words. Prepared data have a tokenizer already, which is kept.
    """

    kinds = (*TokenizerChoice.kinds, AUTO)

    def choose(
        self, examples: LabeledTextExamples, settings: Settings
    ) -> tuple[Settings, tuple[str, ...]]:
        if settings.tokenizer != AUTO:
            return settings, ()
        texts = None if settings.pairs else examples.texts_with_labels()
        chosen = CHARACTERS if texts is not None and prefers_characters(*texts) else WORDS
        return replace(settings, tokenizer=chosen), (f"tokenizer: {chosen}",)

    def model_options(
        self, tokenizer: Tokenizer, settings: Settings, given: Mapping[str, Any]
    ) -> dict[str, Any]:
        if tokenizer.kind != CHARACTERS or "ngrams" in given:
            return {}
        return dict(OF_CHARACTERS) if has_option(settings.model, "ngrams") else {}
