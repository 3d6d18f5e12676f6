"""Texts, pairs of texts and documents that are classified, as the input of a model."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import keras

from zoo.data.readers.labels import LabeledTexts
from zoo.data.shards.examples import PreparedExamples
from zoo.errors import UserError
from zoo.models.options import has_option
from zoo.preprocessing.documents import DocumentPreprocessor
from zoo.preprocessing.text import SECOND, TEXT, TextPreprocessor, TokenPreprocessor
from zoo.tasks.inputs.term_choice import NGRAMS, prefers_characters
from zoo.tasks.inputs.texts import (
    KNOWN,
    EncoderInput,
    listed,
    reads_segments,
    reads_sentences,
)
from zoo.tasks.inputs.vocabulary import Vocabulary
from zoo.tasks.labels import check_pairs
from zoo.tasks.options.common import AUTO, CHARACTERS, WORDS
from zoo.tasks.options.text_classifier import Settings
from zoo.tasks.parts import Learned, Pretrained
from zoo.text.tokenizer import Tokenizer

OF_CHARACTERS = {"ngrams": NGRAMS, "ngram_weight": 1.0}  # of models with n-grams


class LabeledTextInput(
    EncoderInput[Settings, TokenPreprocessor, keras.Model, LabeledTexts | PreparedExamples]
):
    """Texts, pairs of texts, or documents of sentences, as the model reads them."""

    def check(self, settings: Settings) -> None:
        super().check(settings)
        model, given = settings.model, settings.max_sentence_length is not None
        reads = reads_sentences(settings, self.task)
        if given and not reads:
            raise UserError(f"{model} does not take max_sentence_length; only han does")
        if reads and not given:
            raise UserError(f"{model} requires max_sentence_length")

    @property
    def vocabulary(self) -> Vocabulary:
        return Vocabulary(self.task, (*KNOWN, AUTO))

    def learn(
        self,
        examples: LabeledTexts | PreparedExamples,
        settings: Settings,
        model_options: Mapping[str, Any],
        pretrained: Pretrained | None,
    ) -> Learned[Settings, TokenPreprocessor]:
        chosen: tuple[str, ...] = ()
        if settings.tokenizer == AUTO:
            settings = replace(settings, tokenizer=self._choice(examples, settings))
            chosen = (f"tokenizer: {settings.tokenizer}",)
        learned = super().learn(examples, settings, model_options, pretrained)
        options = dict(learned.model_options)
        if learned.preprocessor.tokenizer.kind == CHARACTERS and "ngrams" not in model_options:
            if has_option(settings.model, "ngrams"):
                options |= OF_CHARACTERS
        return replace(learned, model_options=options, notes=(*chosen, *learned.notes))

    def _choice(self, examples: LabeledTexts | PreparedExamples, settings: Settings) -> str:
        texts = examples.texts_with_labels()
        if texts is None or settings.pairs:
            return WORDS
        return CHARACTERS if prefers_characters(*texts) else WORDS

    def make(self, tokenizer: Tokenizer, settings: Settings) -> TokenPreprocessor:
        length, pairs = settings.max_length, bool(settings.pairs)
        if not reads_sentences(settings, self.task):
            return TextPreprocessor(tokenizer, length, pairs, start=reads_segments(settings))
        if pairs:
            raise UserError(f"{settings.model} classifies documents, and not pairs of texts")
        return DocumentPreprocessor(tokenizer, length, int(settings.max_sentence_length or 0))

    def raw(
        self, data: Any, settings: Settings, preprocessor: TokenPreprocessor
    ) -> dict[str, Sequence[Any]]:
        pairs = bool(settings.pairs)
        for row in listed(data):
            check_pairs("texts", not isinstance(row, str), pairs)
        if not pairs:
            return {TEXT: data}
        return {TEXT: [first for first, _ in data], SECOND: [second for _, second in data]}

    def check_examples(
        self,
        examples: LabeledTexts | PreparedExamples,
        settings: Settings,
        preprocessor: TokenPreprocessor,
    ) -> None:
        if isinstance(examples, LabeledTexts):
            check_pairs(examples.path, examples.seconds is not None, bool(settings.pairs))
