"""Lines above and below a table, such as titles, sources and notes, which are no rows."""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence

from zoo.data.readers.rows import Row

MOST = 50  # lines above or below a table
FEWEST = 3  # rows of a table with such lines
NEAR = 10  # lines within which a header of usual names is looked for
SHOWN = 40  # characters of a line that a warning shows
MARKS = ("#", "*", "//")  # at the beginning of notes


def filled_width(cells: Sequence[str]) -> int:
    """The number of cells without the empty ones at the end.

    Example:
        >>> filled_width(["Sales 2024", "", ""])
        1
    """
    return max((place for place, cell in enumerate(cells, 1) if cell.strip()), default=0)


def rows_above(
    rows: Sequence[Sequence[str]],
    is_header: Callable[[Sequence[Sequence[str]]], bool],
    known: Collection[str],
) -> int:
    """The number of first rows that are above a table: they have other numbers of cells than most.

    Below them is a header. Rows of as many cells are above one that has usual names alone.

    Args:
        rows: The first rows.
        is_header: Whether the first of some rows is a header.
        known: Usual names of columns, in lower case.

    Example:
        >>> rows = [["Sales 2024"], ["date", "sales"], ["2024-01-01", "3"], ["2024-01-02", "5"]]
        >>> rows_above(rows, lambda rows: rows[0][0] == "date", ())
        1
    """
    widths = Counter(map(filled_width, rows))
    width = widths.most_common(1)[0][0] if widths else 0
    cells = max((len(row) for row in rows if filled_width(row) == width), default=0)
    fitting = (n for n, x in enumerate(rows[:MOST]) if filled_width(x) >= width and len(x) <= cells)
    above = next(fitting, 0)
    if above and is_header(rows[above:]):
        return above
    for count, row in enumerate(rows[: min(NEAR, len(rows) - FEWEST)]):
        names = {cell.strip().lower() for cell in row}
        if len(row) > 1 and len(names) == len(row) and names <= {*known}:
            return count if count and not is_header(rows) else 0
    return 0


def without_notes(
    rows: Iterator[Row], width: int, is_titled: bool, say: Callable[[list[Row]], None]
) -> Iterator[Row]:
    """The rows without the notes below them, which have fewer cells.

    Notes come after a blank line, or below a table with a title, or begin with a mark. Other rows
    that are too short are rows.

    Args:
        rows: The rows of the table.
        width: The number of cells of a row.
        is_titled: Whether there are lines above the table.
        say: What is told of the notes.
    """
    held: list[Row] = []
    full = 0  # number of rows that are not short
    for row in rows:
        if row.reason is None and len(held) < MOST and _is_short(row.cells, width):
            held.append(row)
            continue
        yield from held
        held, full = [], full + 1
        yield row
    notes = [row for row in held if row.cells] if full >= FEWEST else []
    blank = any(not row.cells for row in held[: held.index(notes[0])]) if notes else False
    if notes and (is_titled or blank or all(map(_is_marked, notes))):
        held = [row for row in held if not row.cells]
        say(notes)
    yield from held


def _is_marked(row: Row) -> bool:
    return row.cells[0].strip().startswith(MARKS)


def _is_short(cells: Sequence[str], width: int) -> bool:
    """Whether cells are those of a blank line or of a note, in a table of several columns."""
    return width > 1 and (len(cells) < width or (width > 2 and filled_width(cells) == 1))


def named_lines(rows: Sequence[Row], where: str) -> str:
    """What a warning says of lines that are not read.

    Example:
        >>> named_lines([Row(1, ["Sales"]), Row(3, ["in EUR"])], "above")
        "lines 1 to 3 are above the table, and are not read: 'Sales'"
    """
    first, last = rows[0].line, rows[-1].line
    text = ", ".join(filter(None, map(str.strip, rows[0].cells)))
    lines = f"line {first} is" if first == last else f"lines {first} to {last} are"
    verb = "is" if first == last else "are"
    return f"{lines} {where} the table, and {verb} not read: {text[:SHOWN]!r}"
