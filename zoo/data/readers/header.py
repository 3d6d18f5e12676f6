"""Whether the first row of a table names its columns."""

import re
from collections import Counter
from collections.abc import Sequence

from zoo.data.readers.profile import ENOUGH, Profile, is_number
from zoo.data.readers.roles import KNOWN

NAME = re.compile(r"[^\W\d][\w -]{0,29}")


def has_header(rows: Sequence[Sequence[str]], named: Sequence[str] = ()) -> bool:
    """Whether the first of these rows is a header.

    It is if all its cells could be names, and one of them is a usual column name or differs from
    the cells below it, which are numbers or a few values that all repeat. It also is if all its
    cells are single words that differ from those below, which may also be longer texts.

    Args:
        rows: The first rows, all of the same length.
        named: Column names that the user gave.

    Example:
        >>> has_header([["review", "sentiment"], ["a fine film", "good"]])
        True
        >>> has_header([["a fine film", "good"], ["a dull one", "bad"]])
        False
    """
    if not rows:
        return False
    first = [cell.strip().lower() for cell in rows[0]]
    if {name.lower() for name in named} & set(first):
        return True
    if any(name.isdigit() for name in named):  # columns have numbers where they have no names
        return False
    # An index without a name comes first.
    names = first[1:] if not first[0] and len(first) > 1 else first
    if len(set(names)) < len(names) or not all(NAME.fullmatch(name) for name in names):
        return False
    if len(rows) == 1:  # only a header, or only a row
        return len(KNOWN & set(names)) > 1
    if KNOWN & set(names):
        return True
    columns = [
        (name.strip(), [cell.strip() for cell in cells if cell.strip()])
        for name, *cells in zip(*rows, strict=True)
        if name.strip()
    ]
    return any(_differs(*column) for column in columns) or all(
        _differs(*column) or _is_shorter(*column) for column in columns
    )


def _differs(name: str, cells: Sequence[str]) -> bool:
    """Whether a name differs from the cells below it: numbers, or a few values that repeat."""
    if len(cells) < ENOUGH:
        return False
    if all(map(is_number, cells)):
        return True
    counts = Counter(cells)
    return Profile.of(cells).is_categorical and min(counts.values()) > 1 and name not in counts


def _is_shorter(name: str, cells: Sequence[str]) -> bool:
    """Whether a name is one word, and nearly all cells below it are longer texts of several."""
    if len(cells) < ENOUGH or len(name.split()) > 1:
        return False
    similar = sum(len(cell) <= len(name) or len(cell.split()) == 1 for cell in cells)
    return similar <= len(cells) / 100
