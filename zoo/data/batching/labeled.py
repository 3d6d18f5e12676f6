"""Texts as columns of token ids, with the class numbers or the values to learn."""

from collections.abc import Mapping, Sequence

import numpy as np

from zoo.data.batching.padded_columns import Numbers
from zoo.data.batching.token_columns import token_column
from zoo.data.batching.tokenized import Tokenized
from zoo.preprocessing.text import TokenPreprocessor


def labeled_columns(
    preprocessor: TokenPreprocessor,
    inputs: Mapping[str, Sequence[str]],
    numbers: np.ndarray,
    weights: Sequence[float] | None = None,
) -> Tokenized:
    """The columns `token_ids` and `labels`, and `weights` if there are any.

    In rows of padding labels are `NO_LABEL`.

    Args:
        preprocessor: Converts texts to ids.
        inputs: The texts, by name of the input.
        numbers: The class number of each row (B,), or 1 for each of its labels, otherwise 0 (B, C).
        weights: The weight of each row in the loss, or None.
    """
    tokens, statistics = token_column(preprocessor, inputs)
    columns = {"token_ids": tokens, "labels": Numbers(numbers)}
    if weights is not None:
        columns["weights"] = Numbers(np.array(weights, np.float32), fill=0)
    return Tokenized(columns, statistics)


def valued_columns(
    preprocessor: TokenPreprocessor, inputs: Mapping[str, Sequence[str]], targets: np.ndarray
) -> Tokenized:
    """The columns `token_ids` and `labels`, which are NaN in rows of padding.

    Args:
        preprocessor: Converts texts to ids.
        inputs: The texts, by name of the input.
        targets: What the model learns of each row, (N, K).
    """
    tokens, statistics = token_column(preprocessor, inputs)
    return Tokenized({"token_ids": tokens, "labels": Numbers(targets, np.nan)}, statistics)
