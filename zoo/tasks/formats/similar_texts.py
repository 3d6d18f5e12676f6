"""Pairs of texts with similar meaning, as users have them."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from zoo.data.batching.columns import token_column
from zoo.data.batching.tokenized import Tokenized
from zoo.data.readers.column_names import ReadOptions
from zoo.data.readers.pairs import Pairs, read_pairs, read_pairs_in_pieces
from zoo.data.readers.scored_pairs import ScoredPairs, read_scored_pairs
from zoo.data.shards.examples import PreparedExamples, read_prepared
from zoo.data.shards.manifest import SEQUENCES
from zoo.preprocessing.text import TokenPreprocessor
from zoo.tasks.formats.prepared import TokensOf, completed
from zoo.tasks.options.text_embedder import Settings
from zoo.tasks.parts import PreparableFormat

SimilarTexts = Pairs | ScoredPairs | PreparedExamples


@dataclass(frozen=True)
class SimilarTextFormat(PreparableFormat[Settings, TokenPreprocessor, SimilarTexts]):
    """A table with two texts in each row, which may have a score to evaluate; or prepared data.

    Args:
        task: Name of the task.
    """

    task: str
    column_kinds = {"firsts": SEQUENCES, "seconds": SEQUENCES}  # noqa: RUF012  # not a field
    sorted_by = ("firsts", "seconds")
    depends_on = ("max_length",)

    def read(
        self, data: Any, settings: Settings, learned: TokenPreprocessor | None
    ) -> SimilarTexts:
        options = ReadOptions.of(settings.values())
        return read_prepared(data, self.task) or read_pairs(data, options)

    def read_to_evaluate(
        self, data: Any, settings: Settings, learned: TokenPreprocessor | None
    ) -> SimilarTexts:
        return read_scored_pairs(data, ReadOptions.of(settings.values()))

    def settings(self, examples: SimilarTexts, settings: Settings) -> Settings:
        return completed(settings, examples.settings, self.depends_on)

    def pieces(self, data: Any, settings: Settings) -> Iterator[Pairs]:
        return read_pairs_in_pieces(data, ReadOptions.of(settings.values()))

    def tokenization(
        self, settings: Settings, preprocessor: TokenPreprocessor, head: Any
    ) -> TokensOf[Any]:
        def tokenized(examples: Pairs, number: int) -> Tokenized:
            firsts, statistics = token_column(preprocessor, {"text": examples.sources})
            seconds, more = token_column(preprocessor, {"text": examples.targets})
            return Tokenized({"firsts": firsts, "seconds": seconds}, statistics + more)

        tokenizer = preprocessor.tokenizer
        own = {"max_length": settings.max_length, "start": preprocessor.start}
        limits = dict.fromkeys(self.column_kinds, tokenizer.vocabulary_size)
        return TokensOf(tokenized, tokenizer, own, limits)
