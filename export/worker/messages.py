"""Messages of exceptions and checks, in one line."""

from __future__ import annotations

Finding = dict
LONGEST = 300


def finding(name: str, passed: bool, detail: str) -> Finding:
    """A check of the report, as plain data."""
    return {"name": name, "passed": bool(passed), "detail": detail}


def one_line(error: BaseException) -> str:
    """The type of an exception and the first line of its message.

    Example:
        >>> one_line(ValueError("no such file\\nand more"))
        'ValueError: no such file'
    """
    lines = str(error).strip().splitlines()
    return ": ".join([type(error).__name__, *lines[:1]])[:LONGEST]
