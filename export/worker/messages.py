"""Exceptions in one line."""

from __future__ import annotations

LONGEST = 300


def first_line(error: BaseException) -> str:
    """The first line of an exception's message, or its type if it has none.

    Example:
        >>> first_line(ValueError("no such file\\nand more"))
        'no such file'
    """
    return (str(error).strip() or type(error).__name__).splitlines()[0][:LONGEST]
