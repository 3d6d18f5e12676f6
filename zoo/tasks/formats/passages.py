"""Queries with passages, as users have them."""

from dataclasses import replace
from typing import Any

from zoo.data.readers.column_names import ReadOptions
from zoo.data.readers.passages import ScoredPassages, read_passages
from zoo.errors import UserError
from zoo.options import values_of
from zoo.preprocessing.text import TokenPreprocessor
from zoo.tasks.labels import check_pairs
from zoo.tasks.options.text_pair_scorer import Settings
from zoo.tasks.parts import Format


class PassageFormat(Format[Settings, TokenPreprocessor, ScoredPassages]):
    """A table with a query and a passage in each row, and a score, a negative, or neither."""

    def read(
        self, data: Any, settings: Settings, learned: TokenPreprocessor | None
    ) -> ScoredPassages:
        return read_passages(data, ReadOptions.of(values_of(settings)), settings.negatives)

    def settings(self, examples: ScoredPassages, settings: Settings) -> Settings:
        check_pairs(examples.path, True, settings.pairs is not False)
        (first, *_) = examples.values
        if all(value == first for value in examples.values):
            raise UserError(
                f"{examples.path}: all scores are {first[0]:g}; if every passage answers its "
                "query, leave out the column of scores, and other passages are sampled"
            )
        return replace(settings, pairs=True)
