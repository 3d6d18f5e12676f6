"""Statistics of tokenized texts: truncated, empty, unknown."""

import numpy as np

from zoo.data_statistics import Statistics
from zoo.text.special_tokens import SpecialTokens


def count_truncated(
    ids: np.ndarray, lengths: np.ndarray, room: int, truncated: str, special_tokens: SpecialTokens
) -> Statistics:
    """Counts truncated texts, texts without tokens, and unknown tokens.

    Args:
        ids: The tokens of all texts, concatenated, before truncation.
        lengths: Number of tokens of each text.
        room: Maximum number of tokens of a text.
        truncated: Description of truncated texts in the statistics.
        special_tokens: The special tokens of the vocabulary.

    Example:
        >>> ids, lengths = np.array([7, 1, 8]), np.array([3, 0])
        >>> count_truncated(ids, lengths, 2, "texts truncated", SpecialTokens())
        Counter({'texts truncated': 1, 'texts without tokens': 1, 'unknown tokens': 1})
    """
    return Statistics(
        {
            truncated: int((lengths > room).sum()),
            "texts without tokens": int((lengths == 0).sum()),
            "unknown tokens": count_unknown(ids, special_tokens),
        }
    )


def count_unknown(ids: np.ndarray, special_tokens: SpecialTokens) -> int:
    """Number of ids that are the unknown token."""
    return int((ids == special_tokens.unknown).sum()) if special_tokens.unknown >= 0 else 0
