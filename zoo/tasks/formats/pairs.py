"""Pairs of a source and a target text, as users have them."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from zoo.data.batching.columns import token_column
from zoo.data.batching.tokenized import Tokenized
from zoo.data.readers.column_names import ReadOptions
from zoo.data.readers.pairs import Pairs, read_pairs, read_pairs_in_pieces
from zoo.data.shards.examples import PreparedExamples, read_prepared
from zoo.data.shards.manifest import SEQUENCES
from zoo.preprocessing.text import TextPreprocessor
from zoo.tasks.formats.prepared import TokensOf, completed
from zoo.tasks.inputs.text_sources import TextSourceInput
from zoo.tasks.options.text_to_text import Settings
from zoo.tasks.parts import PreparableFormat

PairExamples = Pairs | PreparedExamples


@dataclass(frozen=True)
class PairFormat(PreparableFormat[Settings, TextPreprocessor, PairExamples]):
    """A table with a source and a target in each row, or prepared data.

    Args:
        task: Name of the task.
        input: What the model reads, which knows the targets.
    """

    task: str
    input: TextSourceInput[Settings, PairExamples]
    column_kinds = {"source_ids": SEQUENCES, "target_ids": SEQUENCES}  # noqa: RUF012  # no field
    sorted_by = ("source_ids", "target_ids")
    depends_on = ("max_source_length", "max_target_length")

    def read(self, data: Any, settings: Settings, learned: TextPreprocessor | None) -> PairExamples:
        options = ReadOptions.of(settings.values())
        return read_prepared(data, self.task) or read_pairs(data, options)

    def settings(self, examples: PairExamples, settings: Settings) -> Settings:
        return completed(settings, examples.settings, self.depends_on)

    def pieces(self, data: Any, settings: Settings) -> Iterator[Pairs]:
        return read_pairs_in_pieces(data, ReadOptions.of(settings.values()))

    def tokenization(
        self, settings: Settings, preprocessor: TextPreprocessor, head: Any
    ) -> TokensOf[Pairs]:
        targets = self.input.targets(settings, preprocessor)

        def tokenized(examples: Pairs, number: int) -> Tokenized:
            source_ids, statistics = token_column(preprocessor, {"text": examples.sources})
            target_ids, more = token_column(targets, {"text": examples.targets})
            columns = {"source_ids": source_ids, "target_ids": target_ids}
            return Tokenized(columns, statistics + more)

        values, tokenizer = settings.values(), preprocessor.tokenizer
        own = {name: values[name] for name in self.depends_on}
        limits = dict.fromkeys(self.column_kinds, tokenizer.vocabulary_size)
        return TokensOf(tokenized, tokenizer, {**own, "start": preprocessor.start}, limits)
