"""Labeled texts as columns of token ids and class numbers."""

from collections.abc import Mapping, Sequence

import numpy as np

from zoo.data.batching.padded_columns import Scalars, token_column
from zoo.data.batching.tokenized import Tokenized
from zoo.preprocessing.text import TokenPreprocessor


def labeled_columns(
    preprocessor: TokenPreprocessor, inputs: Mapping[str, Sequence[str]], numbers: Sequence[int]
) -> Tokenized:
    """The columns `token_ids` and `labels`.

    Args:
        preprocessor: Converts texts to ids.
        inputs: The texts, by name of the input.
        numbers: The class number of each row.
    """
    tokens, statistics = token_column(preprocessor, inputs)
    labels = Scalars(np.array(numbers, np.int32))
    return Tokenized({"token_ids": tokens, "labels": labels}, statistics)
