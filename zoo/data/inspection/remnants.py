"""Remnants of other programs in texts, which a model would learn and write."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from zoo.data_statistics import counted


@dataclass(frozen=True)
class Remnant:
    """Something that other programs leave in texts.

    Args:
        name: What it is, in the plural.
        pattern: Regular expression that finds it.
        remedy: What to do about it.
    """

    name: str
    pattern: re.Pattern[str]
    remedy: str


REMNANTS = (
    Remnant(
        "HTML entities",
        re.compile(r"&(?:amp|lt|gt|quot|apos|nbsp|#\d{1,7}|#x[0-9A-Fa-f]{1,6});"),
        "replace them first, with html.unescape in Python",
    ),
    Remnant(
        "HTML tags",
        re.compile(r"</?(?:br|p|div|span|a|b|i|em|strong|li|ul|td|tr)(?: [^<>]*)? ?/?>", re.I),
        "remove them first",
    ),
    Remnant(
        "marks of split words",
        re.compile(r"\w@@(?= |$)|(?<= )##\w+|▁\w+"),
        "join the words first, since the tokenizer splits them itself",
    ),
    Remnant(
        "letters of a wrong encoding",
        re.compile("[ÃÂ][\u0080-\u00bf]|Ã[Ÿœž„–]|â€[\u0080-\u00bf™œž\u02dc¦“”]|\ufffd"),
        "the file that it came from is UTF-8 that was read as something else, or the reverse",
    ),
)


def remnants(texts: Sequence[str]) -> list[str]:
    """Says what of other programs is in the texts, in how many, with an example.

    Args:
        texts: The texts.

    Returns:
        A sentence for each kind that is found.

    Example:
        >>> for line in remnants(["salt &amp; pepper", "low@@ er", "plain"]):
        ...     print(line)
        1 of 3 texts has HTML entities, such as &amp;: replace them first, with html.unescape...
        1 of 3 texts has marks of split words, such as w@@: join the words first, since the...
    """
    lines = []
    for each in REMNANTS:
        found = [match[0] for match in map(each.pattern.search, texts) if match]
        if found:
            has = "has" if len(found) == 1 else "have"
            share = f"{len(found):,} of {counted(len(texts), 'texts')}"
            lines.append(f"{share} {has} {each.name}, such as {found[0]:.30}: {each.remedy}")
    return lines
