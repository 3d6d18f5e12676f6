"""Texts, or pairs of texts, with labels, as users have them."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from zoo.data.batching.labeled import labeled_columns
from zoo.data.batching.tokenized import Tokenized
from zoo.data.readers.column_names import ReadOptions
from zoo.data.readers.labels import LabeledTexts, read_labeled, read_labeled_in_pieces
from zoo.data.shards.examples import PreparedExamples, read_prepared
from zoo.data.shards.manifest import SCALARS, SEQUENCES
from zoo.errors import UserError
from zoo.heads.label import LabelHead
from zoo.preprocessing.text import TokenPreprocessor
from zoo.tasks.formats.prepared import TokensOf, completed
from zoo.tasks.inputs.texts import reads_sentences
from zoo.tasks.labels import check_pairs
from zoo.tasks.options.text_classifier import Settings
from zoo.tasks.parts import PreparableFormat

LabeledTextExamples = LabeledTexts | PreparedExamples


@dataclass(frozen=True)
class LabeledTextFormat(PreparableFormat[Settings, TokenPreprocessor, LabeledTextExamples]):
    """A table with a text and a label in each row, or prepared data.

    Args:
        task: Name of the task.
    """

    task: str
    column_kinds = {"token_ids": SEQUENCES, "labels": SCALARS}  # noqa: RUF012  # not a field
    sorted_by = ("token_ids",)
    depends_on = ("labels", "max_length", "pairs")

    def read(
        self, data: Any, settings: Settings, learned: TokenPreprocessor | None
    ) -> LabeledTextExamples:
        return read_prepared(data, self.task) or read_labeled(
            data, ReadOptions.of(settings.values())
        )

    def settings(self, examples: LabeledTextExamples, settings: Settings) -> Settings:
        settings = completed(settings, examples.settings, self.depends_on)
        if isinstance(examples, LabeledTexts):
            found = examples.seconds is not None
            settings = replace(settings, pairs=found if settings.pairs is None else settings.pairs)
            check_pairs(examples.path, found, bool(settings.pairs))
        return settings

    def check_preparable(self, settings: Settings) -> None:
        if reads_sentences(settings, self.task):
            raise UserError(
                f"{settings.model} reads documents of sentences, which cannot be prepared: choose "
                "another model"
            )

    def pieces(self, data: Any, settings: Settings) -> Iterator[LabeledTexts]:
        return read_labeled_in_pieces(data, ReadOptions.of(settings.values()))

    def tokenization(
        self, settings: Settings, preprocessor: TokenPreprocessor, head: LabelHead
    ) -> TokensOf[LabeledTexts]:
        def tokenized(examples: LabeledTexts, number: int) -> Tokenized:
            check_pairs(examples.path, examples.seconds is not None, bool(settings.pairs))
            numbers = head.numbers(examples.labels, examples.path)
            return labeled_columns(preprocessor, examples.inputs, numbers)

        values, tokenizer = settings.values(), preprocessor.tokenizer
        own = {name: values[name] for name in self.depends_on}
        limits = {"token_ids": tokenizer.vocabulary_size, "labels": len(head.labels)}
        return TokensOf(tokenized, tokenizer, {**own, "start": preprocessor.start}, limits)
