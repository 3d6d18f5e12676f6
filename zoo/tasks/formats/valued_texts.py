"""Texts, or pairs of texts, with values, as users have them."""

from dataclasses import replace
from typing import Any

from zoo.data.readers.column_names import ReadOptions
from zoo.data.readers.values import ValuedTexts, read_values
from zoo.options import values_of
from zoo.preprocessing.text import TokenPreprocessor
from zoo.tasks.labels import check_pairs
from zoo.tasks.options.text_regressor import Settings
from zoo.tasks.parts import Format


class ValuedTextFormat(Format[Settings, TokenPreprocessor, ValuedTexts]):
    """A table with a text and values in each row."""

    def read(self, data: Any, settings: Settings, learned: TokenPreprocessor | None) -> ValuedTexts:
        return read_values(data, ReadOptions.of(values_of(settings)))

    def settings(self, examples: ValuedTexts, settings: Settings) -> Settings:
        pairs = examples.seconds is not None
        settings = replace(settings, pairs=pairs if settings.pairs is None else settings.pairs)
        check_pairs(examples.path, pairs, bool(settings.pairs))
        return settings
