"""Texts, or pairs of texts, with one label or several, as users have them."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from zoo.data.batching.labeled import labeled_columns
from zoo.data.batching.tokenized import Tokenized
from zoo.data.examples import TextExamples
from zoo.data.readers.column_names import ReadOptions
from zoo.data.readers.label_sets import LabelSetTexts, read_label_sets
from zoo.data.readers.labels import LabeledTexts, read_labeled, read_labeled_in_pieces
from zoo.data.shards.examples import PreparedExamples
from zoo.data.shards.manifest import SCALARS, SEQUENCES, is_shards
from zoo.errors import UserError
from zoo.options import values_of
from zoo.preprocessing.text import TokenPreprocessor
from zoo.tasks.answers.labels import known_labels
from zoo.tasks.formats.prepared import PreparableFormat
from zoo.tasks.inputs.texts import reads_sentences
from zoo.tasks.labels import check_pairs
from zoo.tasks.options.table_columns import refuse_weights, without_weights
from zoo.tasks.options.text_classifier import Settings

Texts = LabeledTexts | LabelSetTexts
LabeledTextExamples = Texts | PreparedExamples
LabeledTextFormat = PreparableFormat[Settings, TokenPreprocessor, Texts]


def labeled_text_format(task: str) -> LabeledTextFormat:
    """A table with a text and its label, or its labels, in each row, or prepared data."""

    def check(settings: Settings) -> None:
        if settings.multi_label:
            raise UserError("texts with several labels cannot be prepared: train on the files")
        if settings.weight_column is not None:
            raise UserError("weights of rows cannot be prepared: train on the files")
        if reads_sentences(settings):
            raise UserError(
                f"{settings.model} reads documents of sentences, which cannot be prepared: choose "
                "another model"
            )

    return LabeledTextFormat(
        task,
        read_texts=read_labeled,
        read_pieces=_pieces,
        tokenize=_tokenize,
        column_kinds={"token_ids": SEQUENCES, "labels": SCALARS},
        sorted_by=("token_ids",),
        depends_on=("labels", "max_length", "pairs"),
        limits=lambda settings: {"labels": len(known_labels(settings))},
        complete=_complete,
        check=check,
        read_otherwise=_read_several_labels,
        to_evaluate=without_weights,
    )


def _read_several_labels(data: Any, settings: Settings) -> LabelSetTexts | None:
    if not settings.multi_label:
        return None
    refuse_weights(settings)
    if is_shards(data):
        raise UserError(f"{data} is prepared data, in which each text has one label")
    return read_label_sets(data, ReadOptions.of(values_of(settings)), settings.label_separator)


def _pieces(data: Any, options: ReadOptions) -> Iterator[Texts]:
    yield from read_labeled_in_pieces(data, options)


def _complete(examples: TextExamples, settings: Settings) -> Settings:
    """The settings with whether texts are pairs."""
    if isinstance(examples, Texts):
        pairs = examples.seconds is not None
        settings = replace(settings, pairs=pairs if settings.pairs is None else settings.pairs)
        check_pairs(examples.path, pairs, bool(settings.pairs))
    return settings


def _tokenize(
    examples: Texts, number: int, settings: Settings, preprocessor: TokenPreprocessor
) -> Tokenized:
    check_pairs(examples.path, examples.seconds is not None, bool(settings.pairs))
    numbers = examples.class_numbers(known_labels(settings))
    return labeled_columns(preprocessor, examples.inputs, numbers, examples.weights)
