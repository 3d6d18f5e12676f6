"""Where words end: at ASCII whitespace (and the null character), and nowhere else."""

import re

import tensorflow_text as tf_text

_SEPARATORS = "\0\t\n\v\f\r "  # the ops' dictionaries cannot hold a null character
# "▁" is how pieces spell a space, so no learned piece may hold one of its own.
_PATTERN = re.compile(f"[{_SEPARATORS}▁]+")


class WordSplitter(tf_text.WhitespaceTokenizer):
    """Texts (B,) -> words, ragged (B, words), punctuation attached; also in LiteRT.

    Other spaces (no-break, ideographic) are characters like any other, and come back as they were.
    The parent would split at them too, but cuts the word before them in the middle of their bytes.

    Example:
        >>> WordSplitter().tokenize(["  A red\\thut, "]).to_list()
        [[b'A', b'red', b'hut,']]
    """

    def __init__(self):
        super().__init__()
        # The parent reads a bit for each code point, and takes those beyond the end for letters.
        bits = sum(1 << ord(character) for character in _SEPARATORS)
        self._config = bits.to_bytes(max(map(ord, _SEPARATORS)) // 8 + 1, "little")


def split_words(text: str) -> list[str]:
    """The same words of a Python string, for learning.

    Example:
        >>> split_words("  A red\\thut, ")
        ['A', 'red', 'hut,']
    """
    return [word for word in _PATTERN.split(text) if word]
