"""Texts with mask tokens."""

import re

from zoo.text.separators import NOT_SEPARATOR
from zoo.text.special_tokens import MASK


def spaced(text: str) -> str:
    """Puts a space before every mask that does not start a word.

    Example:
        >>> spaced("([MASK]) or [MASK].")
        '( [MASK]) or [MASK].'
    """
    return re.sub(f"(?<={NOT_SEPARATOR})" + re.escape(MASK), " " + MASK, text)


def masked_word(text: str) -> str:
    """Replaces the middle word of a text with a mask.

    Example:
        >>> masked_word("to be or")
        'to [MASK] or'
    """
    words = text.split()
    words[len(words) // 2] = MASK
    return " ".join(words)
