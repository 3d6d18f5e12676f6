"""The characters that separate words: ASCII whitespace and null characters, and no others."""

import re

SEPARATORS = "\0\t\n\v\f\r "  # the tokenizers' ops do not support null characters
NOT_SEPARATOR = f"[^{SEPARATORS}]"
_WORD = re.compile(f"{NOT_SEPARATOR}+")
# "▁" stands for a space in tokens, so no token may be learned from a "▁" in a text.
_PATTERN = re.compile(f"[{SEPARATORS}▁]+")


def words_of(text: str) -> list[str]:
    """Splits a text into words, as tokenizers, artifacts and pages do.

    Other spaces, such as no-break and ideographic spaces, are part of a word.

    Example:
        >>> words_of("  10\u00a0000 red\\thuts, ")
        ['10\\xa0000', 'red', 'huts,']
    """
    return _WORD.findall(text)


def split_words(text: str) -> list[str]:
    """`words_of` a text from which tokens are learned, which is also split at "▁".

    Example:
        >>> split_words("  A red\\thut, ")
        ['A', 'red', 'hut,']
    """
    return [word for word in _PATTERN.split(text) if word]
