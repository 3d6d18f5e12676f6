"""Text files of an entry a line, such as labels and vocabularies: how they are written and read."""

import re
from collections.abc import Iterable

VOCABULARY, LABELS = "vocabulary.txt", "labels.txt"  # beside artifacts
SEPARATOR = "|"  # between the labels of an answer that has several
NONE = -1  # the number of the answer that is none of the labels
LINE_BREAK = re.compile(r"[\r\n]+")


def to_lines(entries: Iterable[str]) -> str:
    r"""The text of a file with an entry in each line.

    Lines end with "\n" and nothing else: other separators of Unicode, such as U+2028, are part of
    an entry. A line break in an entry becomes a space; labels with one are refused before training.

    Args:
        entries: The entries.

    Example:
        >>> to_lines(["a", "b\nc"])
        'a\nb c\n'
    """
    return "".join(LINE_BREAK.sub(" ", entry) + "\n" for entry in entries)


def from_lines(text: str) -> list[str]:
    r"""The entries that `to_lines` wrote, or another program with "\r\n".

    Unlike `str.splitlines`, it does not break lines at U+2028, U+0085 and six control characters.

    Args:
        text: The text of the file.

    Example:
        >>> from_lines("a\nb\u2028c\n")
        ['a', 'b\u2028c']
    """
    if not text:
        return []
    return [line.removesuffix("\r") for line in text.removesuffix("\n").split("\n")]
