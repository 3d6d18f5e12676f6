"""Splitting text into words at ASCII whitespace and null characters."""

import tensorflow_text as tf_text

from zoo.text.separators import SEPARATORS

WHITE = tuple(
    "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)
"""Whitespace of any kind, `White_Space` in Unicode."""


class WordSplitter(tf_text.WhitespaceTokenizer):
    """Splits texts (B,) into words, ragged (B, words), with punctuation attached; also in LiteRT.

    Other spaces, such as no-break and ideographic spaces, are ordinary characters, which decoding
    restores. The parent class also splits at those, but in the middle of their UTF-8 bytes.

    Example:
        >>> WordSplitter().tokenize(["  A red\\thut, "]).to_list()
        [[b'A', b'red', b'hut,']]
    """

    def __init__(self):
        super().__init__()
        # The parent's configuration has one bit for each code point. Code points beyond its end are
        # not whitespace.
        bits = sum(1 << ord(character) for character in SEPARATORS)
        self._config = bits.to_bytes(max(map(ord, SEPARATORS)) // 8 + 1, "little")


def separators() -> dict[str, str]:
    """Each character that separates words, and a space that replaces it."""
    return dict.fromkeys(SEPARATORS, " ")
