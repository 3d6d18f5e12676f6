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
    the cells below it, which are numbers or a few values that all repeat.

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
    # An index without a name comes first.
    names = first[1:] if not first[0] and len(first) > 1 else first
    if len(set(names)) < len(names) or not all(NAME.fullmatch(name) for name in names):
        return False
    if len(rows) == 1:  # only a header, or only a row
        return len(KNOWN & set(names)) > 1
    if KNOWN & set(names):
        return True
    columns = list(zip(*rows, strict=True))
    return any(_differs(column[0].strip(), column[1:]) for column in columns if column[0].strip())


def _differs(name: str, cells: Sequence[str]) -> bool:
    cells = [cell.strip() for cell in cells if cell.strip()]
    if len(cells) < ENOUGH:
        return False
    if all(map(is_number, cells)):
        return True
    counts = Counter(cells)
    return Profile.of(cells).is_categorical and min(counts.values()) > 1 and name not in counts
