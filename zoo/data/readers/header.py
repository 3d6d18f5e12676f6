"""The header of a table: whether the first row names the columns, and which columns have names."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from os import PathLike

from zoo.data.readers.layout import NAMELESS, Layout
from zoo.data.readers.preamble import rows_above
from zoo.data.readers.profile import ENOUGH, IDENTIFIER, Profile, is_number
from zoo.data.readers.roles import KNOWN, LANGUAGES, TIMES
from zoo.data.readers.unit_rows import units_below
from zoo.errors import UserError

NAME = re.compile(r"[^\W\d][\w -]{0,29}")
# A longer name, with units, numbers or a question, which takes more to be told from a text.
LONG_NAME = re.compile(r"(?=.*[^\W\d_]).{1,80}")
COMMENT = re.compile(r"^#\s*(?=[^\W\d])")  # before the first name


def layout_of(rows: Sequence[Sequence[str]], named: Sequence[str] = ()) -> Layout:
    """The layout of a table whose first row may be a header.

    Rows have as many cells as the first, or as most of them if these are more. A header may have
    fewer, without a name for the first cell, as R writes it; or fewer or more, without names for
    the last ones. Titles may be above it, and units below.

    Args:
        rows: The first rows.
        named: Column names that the user gave.

    Example:
        >>> rows = [["text", "label"], ["1", "a fine film", "good"], ["2", "dull", "bad"]]
        >>> layout_of(rows).names
        ['', 'text', 'label']
    """
    if not rows:
        return Layout.numbered(0)
    above = rows_above(rows, lambda each: _is_head(each, named), KNOWN | TIMES)
    first, *others = rows[above:]
    if names := _names(rows[above:], named):
        if all(row[0].startswith("#") for row in rows[:above]):
            names = [COMMENT.sub("", names[0]), *names[1:]]
        layout = Layout.named(list(first), names)
        return replace(layout, above=above, below=units_below(others))
    width = Counter(map(len, rows)).most_common(1)[0][0]
    if len(first) < width:  # a row that is too short
        return replace(layout_of(others, named), above=above)
    return replace(Layout.numbered(len(first)), above=above)


def _is_head(rows: Sequence[Sequence[str]], named: Sequence[str]) -> bool:
    """Whether the first of some rows names the columns, maybe by years one after another."""
    numbers = [int(cell) for cell in rows[0] if cell.isdecimal() and len(cell) == 4]
    rising = len(numbers) > 2 and {b - a for a, b in pairwise(numbers)} == {1}
    return rising or _names(rows, named) is not None


def _names(rows: Sequence[Sequence[str]], named: Sequence[str]) -> list[str] | None:
    """The names of the columns, if the first of some rows has them."""
    first, *others = rows
    others = others[units_below(others) :]
    for names in _candidates(first, others):
        if has_header([names, *(row for row in others if len(row) == len(names))], named):
            return names
    return None


def _candidates(first: Sequence[str], others: Sequence[Sequence[str]]) -> list[list[str]]:
    """What the names of the columns may be, if the first row has them."""
    names, widths = list(first), Counter(map(len, others))
    width = widths.most_common(1)[0][0] if widths else len(names)
    if 1 < len(names) == width - 1 and len(widths) == 1:
        last = any(row[-1].strip() for row in others)
        return [["", *names]] if last else [[*names, ""]]
    if len(names) > width and not any(map(str.strip, names[width:])):
        return [names[:width]]
    return [names] if len(names) >= min(width, 2) else []  # one cell above others is a title


def check_names(names: Sequence[str], path: str | PathLike[str]) -> None:
    """Refuses columns of the same name.

    Raises:
        UserError: If there are any.
    """
    counts = Counter(name for name in names if name)
    repeated = [name for name, count in counts.items() if count > 1]
    if repeated:
        raise UserError(
            f"{path} has {counts[repeated[0]]} columns with the name {repeated[0]!r}: rename or "
            "remove all but one"
        )


def has_header(rows: Sequence[Sequence[str]], named: Sequence[str] = ()) -> bool:
    """Whether the first of these rows is a header.

    It is if all its cells that are not empty could be names, and one of them is a usual column name
    or differs from the cells below it, which are numbers, dates or other identifiers, or a few
    values that all repeat. It also
    is if all its cells are single words that differ from those below, which may also be longer
    texts. Names with other signs, such as units, numbers or a question, need such a difference.

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
    names = [
        name
        for cell in rows[0]
        if not NAMELESS.fullmatch(cell.strip())
        for name in [cell.strip().lower()]
    ]
    if not names:
        return False
    if not all(NAME.fullmatch(name) for name in names):
        if len(rows) <= ENOUGH:
            return False
        return (all(map(_is_long_name, names)) and _stands_out(rows)) or _has_time(rows)
    repeated = len(set(names)) < len(names)
    known = (KNOWN - LANGUAGES if repeated else KNOWN) & set(names)
    if len(rows) == 1:  # only a header, or only a row
        return len(known) > 1
    if known:
        return True
    columns = _named_columns(rows)
    return any(_differs(*column) for column in columns) or (
        not repeated and all(_differs(*column) or _is_shorter(*column) for column in columns)
    )


def _named_columns(rows: Sequence[Sequence[str]]) -> list[tuple[str, list[str]]]:
    """The first cell of each column where it may be a name, and those below that are not empty."""
    return [
        (name.strip(), [cell.strip() for cell in cells if cell.strip()])
        for name, *cells in zip(*rows, strict=True)
        if not NAMELESS.fullmatch(name.strip())
    ]


def _is_long_name(name: str) -> bool:
    return (
        bool(LONG_NAME.fullmatch(name)) and not is_number(name) and not IDENTIFIER.fullmatch(name)
    )


def _stands_out(rows: Sequence[Sequence[str]]) -> bool:
    """Whether the cells of the first row occur nowhere below, and one is alone in a column of
    numbers or identifiers; or they are different, and one is alone in a column of a few values that
    all repeat while texts are longer."""
    columns = _named_columns(rows)
    names = [name for name, _ in columns]
    if any(name in cells for name, cells in columns):
        return False
    profiles = {name: Profile.of(cells) for name, cells in columns}
    sure = [name for name, cells in columns if _differs(name, cells)]
    if any(profiles[name].numbers == 1 or profiles[name].identifiers == 1 for name in sure):
        return True
    return (
        bool(sure)
        and len({*names}) == len(names)
        and all(len(name) < each.characters for name, each in profiles.items() if each.is_text)
    )


def _has_time(rows: Sequence[Sequence[str]]) -> bool:
    """Whether the first row has usual names of columns of times above numbers or dates."""
    columns = _named_columns(rows)
    return all(re.search(r"[^\W\d]", name) for name, _ in columns) and any(
        name.lower() in TIMES and _differs(name, cells) for name, cells in columns
    )


def _differs(name: str, cells: Sequence[str]) -> bool:
    """Whether a name differs from the cells below: identifiers, or a few values that repeat."""
    if len(cells) < ENOUGH:
        return False
    profile = Profile.of(cells)
    if profile.numbers == 1 or (profile.identifiers == 1 and not IDENTIFIER.fullmatch(name)):
        return True
    counts = Counter(cells)
    return profile.is_categorical and min(counts.values()) > 1 and name not in counts


def _is_shorter(name: str, cells: Sequence[str]) -> bool:
    """Whether a name is one word, and nearly all cells below it are longer texts of several."""
    if len(cells) < ENOUGH or len(name.split()) > 1:
        return False
    similar = sum(len(cell) <= len(name) or len(cell.split()) == 1 for cell in cells)
    return similar <= len(cells) / 100
