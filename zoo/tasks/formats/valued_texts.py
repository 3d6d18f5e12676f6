"""Texts or pairs of texts with values, and queries with passages, as users have them."""

from dataclasses import replace
from typing import Any

from zoo.data.readers.column_names import ReadOptions
from zoo.data.readers.passages import ScoredPassages, read_passages
from zoo.data.readers.values import ValuedTexts, read_values
from zoo.errors import UserError
from zoo.options import values_of
from zoo.preprocessing.text import TokenPreprocessor
from zoo.tasks.labels import check_pairs
from zoo.tasks.options import text_pair_scorer, text_regressor
from zoo.tasks.parts import Format


class ValuedTextFormat(Format[text_regressor.Settings, TokenPreprocessor, ValuedTexts]):
    """A table with a text and values in each row."""

    def read(
        self, data: Any, settings: text_regressor.Settings, learned: TokenPreprocessor | None
    ) -> ValuedTexts:
        return read_values(data, ReadOptions.of(values_of(settings)))

    def settings(
        self, examples: ValuedTexts, settings: text_regressor.Settings
    ) -> text_regressor.Settings:
        pairs = examples.seconds is not None
        settings = replace(settings, pairs=pairs if settings.pairs is None else settings.pairs)
        check_pairs(examples.path, pairs, bool(settings.pairs))
        return settings


class PassageFormat(Format[text_pair_scorer.Settings, TokenPreprocessor, ScoredPassages]):
    """A table with a query and a passage in each row, and a score, a negative, or neither."""

    def read(
        self, data: Any, settings: text_pair_scorer.Settings, learned: TokenPreprocessor | None
    ) -> ScoredPassages:
        return read_passages(data, ReadOptions.of(values_of(settings)), settings.negatives)

    def settings(
        self, examples: ScoredPassages, settings: text_pair_scorer.Settings
    ) -> text_pair_scorer.Settings:
        check_pairs(examples.path, True, settings.pairs is not False)
        (first, *_) = examples.values
        if all(value == first for value in examples.values):
            raise UserError(
                f"{examples.path}: all scores are {first[0]:g}; if every passage answers its "
                "query, leave out the column of scores, and other passages are sampled"
            )
        return replace(settings, pairs=True)
