"""Splitting of texts into sentences."""

import re

_END_OF_SENTENCE = re.compile(r"(?<=[.!?])\s+|\s*\n\s*")


def split_sentences(text: str) -> list[str]:
    """Splits a text into sentences, at punctuation and line breaks.

    Example:
        >>> split_sentences("To be. Or not?\\n  That is")
        ['To be.', 'Or not?', 'That is']
    """
    return [part for part in _END_OF_SENTENCE.split(text) if part.strip()]
