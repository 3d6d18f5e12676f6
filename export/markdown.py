"""Text of others as words and code of a Markdown page, without any markup of its own."""

from __future__ import annotations

import re
from html import escape
from keyword import iskeyword


def words(text: str) -> str:
    """A text on one line, without markup.

    Example:
        >>> print(words("a <b>\\n| [c](d)"))
        a &lt;b&gt; \\| \\[c\\](d)
    """
    return re.sub(r"[\\`\[\]|]", r"\\\g<0>", escape(" ".join(text.split()), quote=False))


def span(name: str) -> str:
    """A name on one line, as code, also in a table.

    Example:
        >>> print(span("en-de.tflite"), span("a`b"))
        `en-de.tflite` `` a`b ``
    """
    shown = " ".join(name.split()).replace("|", "\\|")
    if "`" not in shown:
        return f"`{shown}`"
    fence = "`" * (1 + max(map(len, re.findall("`+", shown))))
    return f"{fence} {shown} {fence}"


def literal(text: str) -> str:
    """A text as Python code.

    Example:
        >>> print(literal("en-de.tflite"), literal('"'))
        "en-de.tflite" '"'
    """
    plain = text.isprintable() and not set(text) & set('"\\')
    return f'"{text}"' if plain else ascii(text)


def argument(key: str, value: str) -> str:
    """A keyword argument in Python code, whatever its name.

    Example:
        >>> print(argument("ids", "1"), argument("a/b", "1"))
        ids=1 **{"a/b": 1}
    """
    simple = key.isascii() and key.isidentifier() and not iskeyword(key)
    return f"{key}={value}" if simple else f"**{{{literal(key)}: {value}}}"
