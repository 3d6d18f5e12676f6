"""Texts with masks in them."""

import re

from zoo.text.special_tokens import MASK


def spaced(text: str) -> str:
    """The text with every mask a word that begins anew.

    Example:
        >>> spaced("([MASK]) or [MASK].")
        '( [MASK]) or [MASK].'
    """
    return re.sub(r"(?<=\S)" + re.escape(MASK), " " + MASK, text)


def masked_word(text: str) -> str:
    """The text with its middle word masked.

    Example:
        >>> masked_word("to be or")
        'to [MASK] or'
    """
    words = text.split()
    words[len(words) // 2] = MASK
    return " ".join(words)
