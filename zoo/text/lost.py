"""How much of texts, once they are tokens, a model does not see."""

import numpy as np

from zoo.notes import Lost
from zoo.text.special_tokens import SpecialTokens


def count_lost(
    ids: np.ndarray, lengths: np.ndarray, room: int, cut: str, special_tokens: SpecialTokens
) -> Lost:
    """Counts texts that are cut, texts without any token, and tokens without a piece.

    Args:
        ids: The tokens of all texts in a row, before anything is cut.
        lengths: How many of them each text has.
        room: How many of a text's tokens are read.
        cut: What to say of texts that have more.
        special_tokens: Of the vocabulary.

    Example:
        >>> count_lost(np.array([7, 1, 8]), np.array([3, 0]), 2, "texts cut", SpecialTokens())
        Counter({'texts cut': 1, 'texts without tokens': 1, 'unknown tokens': 1})
    """
    return Lost(
        {
            cut: int((lengths > room).sum()),
            "texts without tokens": int((lengths == 0).sum()),
            "unknown tokens": count_unknown(ids, special_tokens),
        }
    )


def count_unknown(ids: np.ndarray, special_tokens: SpecialTokens) -> int:
    """How many of the ids stand for what the vocabulary has no piece for."""
    return int((ids == special_tokens.unknown).sum()) if special_tokens.unknown >= 0 else 0
