"""Texts, pairs of texts and documents that are read as a whole, as the input of a model."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol, TypeVar

from zoo.data.examples import TextExamples
from zoo.data.readers.labels import LabeledTexts
from zoo.data.readers.roles import LABELED, QUERY, RANKED, Role
from zoo.data.readers.text_rows import TextRows
from zoo.errors import UserError
from zoo.models.options import has_option
from zoo.preprocessing.documents import DocumentPreprocessor
from zoo.preprocessing.text import SECOND, TEXT, TextPreprocessor, TokenPreprocessor
from zoo.tasks.inputs.raw_texts import RawTexts, listed
from zoo.tasks.inputs.term_choice import NGRAMS, prefers_characters
from zoo.tasks.inputs.texts import EncoderInput, reads_segments, reads_sentences
from zoo.tasks.inputs.vocabulary import TokenizerChoice
from zoo.tasks.labels import check_pairs
from zoo.tasks.options import text_classifier, text_pair_scorer, text_regressor
from zoo.tasks.options.common import AUTO, CHARACTERS, WORDS
from zoo.tasks.parts import Start
from zoo.text.tokenizer import Tokenizer


class WholeTextExamples(TextExamples, Protocol):
    """Texts that may have a label each."""

    def texts_with_labels(self) -> tuple[list[str], list[str]] | None:
        """The texts, those of a pair joined by a space, and their labels; or None."""


S = TypeVar("S", text_classifier.Settings, text_regressor.Settings, text_pair_scorer.Settings)
E = TypeVar("E", bound=WholeTextExamples)

EXACT_MATCH = "exact_match"  # an option of models
OF_CHARACTERS = {"ngrams": NGRAMS, "ngram_weight": 1.0}  # of models with n-grams


def labeled_text_input(
    task: str, pair: tuple[Role, Role] = LABELED[:2], exact_match: bool = False
) -> EncoderInput[S, TokenPreprocessor, E]:
    """Texts, pairs of texts, or documents of sentences, as the model reads them.

    Args:
        task: Name of the task.
        pair: The roles of the columns of a pair of texts.
        exact_match: Whether a model without pretraining sees which tokens both texts have, if it
            has such an option and settings do not say otherwise.
    """

    def make(tokenizer: Tokenizer, settings: S) -> TokenPreprocessor:
        length, pairs = settings.max_length, bool(settings.pairs)
        if not reads_sentences(settings):
            return TextPreprocessor(tokenizer, length, pairs, start=reads_segments(settings))
        if pairs:
            raise UserError(f"{settings.model} reads documents, and not pairs of texts")
        return DocumentPreprocessor(tokenizer, length, int(settings.max_sentence_length or 0))

    return EncoderInput(task, make, WholeTexts[S, E](pair), WordsOrCharacters[S, E](exact_match))


def ranked_text_input(task: str) -> EncoderInput[S, TokenPreprocessor, E]:
    """Queries with passages, whose common tokens a model without pretraining sees."""
    return labeled_text_input(task, (QUERY, RANKED), exact_match=True)


@dataclass(frozen=True)
class WholeTexts(RawTexts[S, E]):
    """Texts, or pairs of texts, as the settings say.

    Args:
        pair: The roles of the columns of a pair of texts.
    """

    pair: tuple[Role, Role] = LABELED[:2]

    def check(self, settings: S) -> None:
        model, given = settings.model, settings.max_sentence_length is not None
        reads = reads_sentences(settings)
        if given and not reads:
            raise UserError(f"{model} does not take max_sentence_length; only han does")
        if reads and not given:
            raise UserError(f"{model} requires max_sentence_length")

    def check_examples(self, examples: E, settings: S) -> None:
        if isinstance(examples, LabeledTexts | TextRows):
            check_pairs(examples.path, examples.seconds is not None, bool(settings.pairs))

    def row(self, settings: S) -> str:
        return "pair of texts" if settings.pairs else "text"

    def roles(self, settings: S) -> tuple[Role, ...]:
        return self.pair if settings.pairs else self.pair[:1]

    def raw(self, data: Any, settings: S) -> dict[str, Sequence[Any]]:
        pairs = bool(settings.pairs)
        for row in listed(data):
            check_pairs("texts", not isinstance(row, str), pairs)
        if not pairs:
            return {TEXT: data}
        return {TEXT: [first for first, _ in data], SECOND: [second for _, second in data]}


@dataclass(frozen=True)
class WordsOrCharacters(TokenizerChoice[S, E]):
    """Words or characters if settings say "auto", and n-grams of characters in models with n-grams.

    Pairs of texts, and texts without a label each, have words. Prepared data have a tokenizer
    already, which is kept.

    Args:
        exact_match: See `labeled_text_input`.
    """

    exact_match: bool = False

    kinds = (*TokenizerChoice.kinds, AUTO)

    def choose(self, examples: E, settings: S) -> tuple[S, tuple[str, ...]]:
        if settings.tokenizer != AUTO:
            return settings, ()
        texts = None if settings.pairs else examples.texts_with_labels()
        chosen = CHARACTERS if texts is not None and prefers_characters(*texts) else WORDS
        return replace(settings, tokenizer=chosen), (f"tokenizer: {chosen}",)

    def model_options(self, tokenizer: Tokenizer, settings: S, start: Start) -> dict[str, Any]:
        given = start.model_options
        if self.exact_match and not start.pretrained and has_option(settings.model, EXACT_MATCH):
            return {EXACT_MATCH: given.get(EXACT_MATCH, True)}
        if tokenizer.kind != CHARACTERS or "ngrams" in given:
            return {}
        return dict(OF_CHARACTERS) if has_option(settings.model, "ngrams") else {}
