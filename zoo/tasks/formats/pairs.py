"""Pairs of texts, as users have them: a source and its target, or two texts that are similar."""

from collections.abc import Callable
from typing import Any

from zoo.data.batching.token_columns import token_column
from zoo.data.batching.tokenized import Tokenized
from zoo.data.readers.pairs import Pairs, read_pairs, read_pairs_in_pieces
from zoo.data.readers.scored_pairs import ScoredPairs, read_scored_pairs, read_similar_pairs
from zoo.data.shards.examples import PreparedExamples
from zoo.data.shards.manifest import SEQUENCES
from zoo.preprocessing.text import TextPreprocessor
from zoo.tasks.formats.prepared import PreparableFormat
from zoo.tasks.inputs.text_sources import TextSourceInput
from zoo.tasks.options import text_embedder, text_to_text
from zoo.tasks.options.common import TaskSettings

PairExamples = Pairs | PreparedExamples
SimilarTexts = Pairs | ScoredPairs | PreparedExamples
PairFormat = PreparableFormat[text_to_text.Settings, TextPreprocessor, Pairs]
SimilarTextFormat = PreparableFormat[text_embedder.Settings, TextPreprocessor, Pairs | ScoredPairs]


def pair_format(
    task: str, input: TextSourceInput[text_to_text.Settings, PairExamples]
) -> PairFormat:
    """A table with a source and a target in each row, or prepared data.

    Args:
        task: Name of the task.
        input: What the model reads, which knows the targets.
    """
    depends_on = ("max_source_length", "max_target_length")
    return _pairs(task, "source_ids", "target_ids", depends_on, input.targets, read_pairs)


def similar_text_format(task: str) -> SimilarTextFormat:
    """A table with two texts in each row, which may have a score to evaluate; or prepared data."""
    names = ("firsts", "seconds")
    return _pairs(
        task,
        *names,
        ("max_length",),
        lambda _, same: same,
        read_similar_pairs,
        read_scored_pairs,
    )


def _pairs(
    task: str,
    first: str,
    second: str,
    depends_on: tuple[str, ...],
    reader_of_targets: Callable[[Any, TextPreprocessor], TextPreprocessor],
    read: Callable[..., Pairs],
    read_scored: Callable[..., ScoredPairs] | None = None,
) -> PreparableFormat[Any, TextPreprocessor, Any]:
    def tokenize(
        examples: Pairs, number: int, settings: TaskSettings, reader: TextPreprocessor
    ) -> Tokenized:
        firsts, statistics = token_column(reader, {"text": examples.sources})
        targets = {"text": examples.targets}
        seconds, more = token_column(reader_of_targets(settings, reader), targets)
        return Tokenized({first: firsts, second: seconds}, statistics + more)

    return PreparableFormat(
        task,
        read_texts=read,
        read_pieces=read_pairs_in_pieces,
        tokenize=tokenize,
        column_kinds={first: SEQUENCES, second: SEQUENCES},
        sorted_by=(first, second),
        depends_on=depends_on,
        read_scored=read_scored,
    )
