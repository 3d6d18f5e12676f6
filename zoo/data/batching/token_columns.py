"""Texts as columns of token ids, from which batches are made."""

from collections.abc import Mapping, Sequence
from typing import Any

from zoo.data.batching.padded_columns import NestedSequences, Sequences
from zoo.data_statistics import Statistics
from zoo.preprocessing.text import TokenPreprocessor

_TEXTS, _DOCUMENTS = 1 << 16, 1 << 8  # number of texts and of documents tokenized at a time


def token_column(
    preprocessor: TokenPreprocessor, inputs: Mapping[str, Sequence[str]]
) -> tuple[Sequences | NestedSequences, Statistics]:
    """The token ids of texts as a column, and counts of truncated, empty and unknown data.

    The padding of the preprocessor is removed again, since batches decide how long their rows are.

    Args:
        preprocessor: Converts texts to padded ids.
        inputs: The texts, by name of the input.
    """
    pad = preprocessor.tokenizer.special_tokens.pad
    kind: Any = NestedSequences if preprocessor.nested else Sequences
    chunk = _DOCUMENTS if preprocessor.nested else _TEXTS
    statistics, columns = Statistics(), []
    for start in range(0, len(next(iter(inputs.values()))), chunk):
        rows = {name: texts[start : start + chunk] for name, texts in inputs.items()}
        features, counts = preprocessor.measure(rows)
        columns.append(kind.unpadded(features["token_ids"], pad))
        statistics.update(counts)
    column: Sequences | NestedSequences = kind.joined(columns)
    return column, statistics
