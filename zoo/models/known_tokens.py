"""A mask of the texts that have a token known to the model."""

from collections.abc import Iterable
from typing import Any

from keras import ops


def has_known_token(token_ids: Any, special_ids: Iterable[int]) -> Any:
    """1 for each text with a token that is not special, such as unknown or padding, otherwise 0.

    Args:
        token_ids: Integers (B, T), or (B, sentences, words).
        special_ids: Ids of the special tokens.

    Returns:
        float32 tensor (B, 1).

    Example:
        >>> ids = ops.array([[5, 1, 3, 0], [1, 1, 3, 0]])
        >>> ops.convert_to_numpy(has_known_token(ids, (0, 1, 2, 3))).tolist()
        [[1.0], [0.0]]
    """
    known = 1.0
    for each in special_ids:  # a product, since LiteRT cannot convert all logical operators
        known = known * ops.cast(ops.not_equal(token_ids, each), "float32")
    return ops.max(known, axis=tuple(range(1, len(token_ids.shape))))[:, None]
