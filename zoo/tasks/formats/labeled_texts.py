"""Texts, or pairs of texts, with labels, as users have them."""

from dataclasses import replace

from zoo.data.batching.labeled import labeled_columns
from zoo.data.batching.tokenized import Tokenized
from zoo.data.examples import TextExamples
from zoo.data.readers.labels import LabeledTexts, read_labeled, read_labeled_in_pieces
from zoo.data.shards.examples import PreparedExamples
from zoo.data.shards.manifest import SCALARS, SEQUENCES
from zoo.errors import UserError
from zoo.heads.label import LabelHead
from zoo.preprocessing.text import TokenPreprocessor
from zoo.tasks.answers.labels import known_labels
from zoo.tasks.formats.prepared import PreparableFormat
from zoo.tasks.inputs.texts import reads_sentences
from zoo.tasks.labels import check_pairs
from zoo.tasks.options.text_classifier import Settings

LabeledTextExamples = LabeledTexts | PreparedExamples
LabeledTextFormat = PreparableFormat[Settings, TokenPreprocessor, LabeledTexts]


def labeled_text_format(task: str) -> LabeledTextFormat:
    """A table with a text and a label in each row, or prepared data."""

    def check(settings: Settings) -> None:
        if reads_sentences(settings, task):
            raise UserError(
                f"{settings.model} reads documents of sentences, which cannot be prepared: choose "
                "another model"
            )

    return PreparableFormat(
        task,
        read_labeled,
        read_labeled_in_pieces,
        _tokenize,
        {"token_ids": SEQUENCES, "labels": SCALARS},
        sorted_by=("token_ids",),
        depends_on=("labels", "max_length", "pairs"),
        limits=lambda settings: {"labels": len(known_labels(settings))},
        complete=_complete,
        check=check,
    )


def _complete(examples: TextExamples, settings: Settings) -> Settings:
    """The settings with whether texts are pairs."""
    if isinstance(examples, LabeledTexts):
        pairs = examples.seconds is not None
        settings = replace(settings, pairs=pairs if settings.pairs is None else settings.pairs)
        check_pairs(examples.path, pairs, bool(settings.pairs))
    return settings


def _tokenize(
    examples: LabeledTexts, number: int, settings: Settings, preprocessor: TokenPreprocessor
) -> Tokenized:
    check_pairs(examples.path, examples.seconds is not None, bool(settings.pairs))
    numbers = LabelHead(known_labels(settings)).numbers(examples.labels, examples.path)
    return labeled_columns(preprocessor, examples.inputs, numbers)
