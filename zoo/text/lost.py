"""How much of texts, once they are tokens, a model does not see."""

import numpy as np

from zoo.notes import Lost
from zoo.text.specials import Specials


def count_lost(
    ids: np.ndarray, lengths: np.ndarray, room: int, cut: str, specials: Specials
) -> Lost:
    """Counts texts that are cut, texts without any token, and tokens without a piece.

    Args:
        ids: The tokens of all texts in a row, before anything is cut.
        lengths: How many of them each text has.
        room: How many of a text's tokens are read.
        cut: What to say of texts that have more.
        specials: Of the vocabulary.

    Example:
        >>> count_lost(np.array([7, 1, 8]), np.array([3, 0]), 2, "texts cut", Specials())
        Counter({'texts cut': 1, 'texts without tokens': 1, 'unknown tokens': 1})
    """
    return Lost(
        {
            cut: int((lengths > room).sum()),
            "texts without tokens": int((lengths == 0).sum()),
            "unknown tokens": count_unknown(ids, specials),
        }
    )


def count_unknown(ids: np.ndarray, specials: Specials) -> int:
    """How many of the ids stand for what the vocabulary has no piece for."""
    return int((ids == specials.unknown).sum()) if specials.unknown >= 0 else 0
