"""HTML elements for the sections of the report."""

import os
import re
from difflib import SequenceMatcher
from html import escape

from zoo.attention_map import UNSEEN

LONGEST = 1000  # characters of texts that are compared part by part, or shown at all
ALIKE = 0.5  # share of characters in common from which differences are marked
SHOWN = 240  # characters of a text that are shown before it is opened
ILLEGAL = re.compile(rf"(?![\t\n\r]){UNSEEN.pattern}")


def section(title: str, explanation: str, *content: str) -> str:
    """A section with a title and an explanation, or an empty string if it has no content."""
    inside = "\n".join(filter(None, content))
    if not inside:
        return ""
    return f"<section>\n<h2>{escape(title)}</h2>\n<p>{explanation}</p>\n{inside}\n</section>"


def definitions(css_class: str, pairs: dict[str, str]) -> str:
    """A list of terms and their values."""
    rows = "\n".join(
        f"<div><dt>{escape(term)}</dt><dd>{escape(value)}</dd></div>"
        if css_class == "numbers"
        else f"<dt>{escape(term)}</dt><dd>{escape(value)}</dd>"
        for term, value in pairs.items()
    )
    return f'<dl class="{css_class}">\n{rows}\n</dl>' if rows else ""


def table(columns: list[str], rows: list[list[str]], numbers: int = 0) -> str:
    """A table of HTML cells; the last `numbers` columns are aligned as numbers.

    A cell that begins with `<td` is used as is.
    """
    if not rows:
        return ""
    first_number = len(columns) - numbers

    def cell(tag, index, content):
        if content.startswith("<td"):
            return content
        kind = ' class="number"' if index >= first_number else ""
        return f"<{tag}{kind}>{content}</{tag}>"

    head = "".join(cell("th", i, escape(name)) for i, name in enumerate(columns))
    body = "\n".join(
        "<tr>" + "".join(cell("td", i, content) for i, content in enumerate(row)) + "</tr>"
        for row in rows
    )
    return (
        f'<div class="scroll"><table>\n<thead><tr>{head}</tr></thead>\n'
        f"<tbody>\n{body}\n</tbody></table></div>"
    )


def text(content: str) -> str:
    """A text, displayed in its own writing direction."""
    return f'<bdi dir="auto">{escape(content)}</bdi>'


def shortened(content: str) -> str:
    """A text of which no more than the beginning is shown until it is opened.

    Example:
        >>> shortened("a hat")
        '<bdi dir="auto">a hat</bdi>'
    """
    if len(content) <= SHOWN:
        return text(content)
    rest = " …" if len(content) > LONGEST else ""
    return (
        f'<details class="long"><summary>{text(content[:SHOWN])} …</summary>'
        f"{text(content[:LONGEST])}{rest}</details>"
    )


def legible(page: str) -> str:
    """The page, with a symbol for each character that no page may have."""
    return ILLEGAL.sub("�", page)


def differing(content: str, reference: str) -> str:
    """The text, with marks on parts that differ from the reference, and where it lacks some.

    In a long text, it is one part: the time of the comparison grows with the square of the length.
    A text that has less than half of its characters in common with the reference has no marks,
    which would be on letters here and there.

    Example:
        >>> differing("2021-03-05", "2021-03-04")
        '<bdi dir="auto">2021-03-0<mark>5</mark></bdi>'
        >>> differing("sien", "sieben")
        '<bdi dir="auto">sie<mark class="lacks"></mark>n</bdi>'
        >>> differing("a dog", "two men play")
        '<bdi dir="auto">a dog</bdi>'
    """
    parts = []
    for equal, part in _parts(content, reference):
        marked = f"<mark>{escape(part)}</mark>" if part else '<mark class="lacks"></mark>'
        parts.append(escape(part) if equal else marked)
    return f'<bdi dir="auto">{"".join(parts)}</bdi>'


def _parts(content: str, reference: str) -> list[tuple[bool, str]]:
    """Whether each part of the text is that of the reference, with the part, "" if it lacks one."""
    if content == reference:
        return [(True, content)]
    if max(len(content), len(reference)) <= LONGEST:
        matcher = SequenceMatcher(None, content, reference, autojunk=False)
        if matcher.ratio() < ALIKE:
            return [(True, content)]
        codes = matcher.get_opcodes()
        return [(kind == "equal", content[start:end]) for kind, start, end, _, _ in codes]
    start = len(os.path.commonprefix([content, reference]))
    rest = content[start:], reference[start:]
    end = len(content) - len(os.path.commonprefix([each[::-1] for each in rest]))
    return [(True, content[:start]), (False, content[start:end]), (True, content[end:])]
