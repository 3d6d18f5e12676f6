"""Tables in text files whose names do not say so, and what to do with them."""

import shlex
from pathlib import Path

from zoo.data.readers.boxed import ALIGNED, is_aligned, is_boxed, to_tabs
from zoo.data.readers.files import START, opened_text
from zoo.data.readers.numbers import is_written_number
from zoo.data.readers.rare_delimiters import RARE, rare_delimiter

LINES = 200  # number of first lines that show whether a text file is a table
FEWEST = 10  # lines that a table has
BETWEEN = "its lines have {} between cells: a table, if its name ends in .csv"
DELIMITERS = (("\t", "tabs"), ("|", "vertical bars"), (";", "semicolons"), (",", "commas"))


def note_of_table(path: Path, encoding: str | None, commas: bool = False) -> str:
    """What to do with a text file whose lines are rows of a table or have labels; else empty.

    Args:
        path: The file.
        encoding: Its encoding, if it has no byte order mark.
        commas: Whether commas may be between cells, which prose has as well.

    Example:
        >>> path = getfixture("tmp_path") / "films.txt"
        >>> _ = path.write_text("text\\tlabel\\n" + "a fine film\\tgood\\n" * 20)
        >>> note_of_table(path, None)
        'its lines have tabs between cells: a table, if its name ends in .csv'
    """
    if path.is_dir():
        return ""
    with opened_text(path, encoding) as file:
        text = file.stream.read(START)
    lines = [each for each in text.split("\n")[:LINES] if each.strip()]
    if len(lines) < FEWEST:
        return ""
    if all(each.startswith("__label__") for each in lines):
        return "its lines have labels as fastText writes them: write a table with label and text"
    if is_boxed(lines):
        return BETWEEN.format("vertical bars")
    if is_aligned(lines):
        return f"it {ALIGNED}: {to_tabs(path)}"
    for delimiter, name in DELIMITERS[: None if commas else -1]:
        if lines[0].count(delimiter) and len({each.count(delimiter) for each in lines[:-1]}) == 1:
            return BETWEEN.format(name)
    if all(map(_has_numbers, lines[:-1])) and len({len(each.split()) for each in lines[:-1]}) == 1:
        command = f"sed -E 's/^[ \\t]+|[ \\t]+$//g; s/[ \\t]+/,/g' {shlex.quote(str(path))}"
        target = shlex.quote(str(path.with_suffix(".csv")))
        return f"its lines have numbers with spaces between: a table, by {command} > {target}"
    if rare := rare_delimiter(text, len(text) < START):
        return BETWEEN.format(RARE[rare])
    return ""


def _has_numbers(line: str) -> bool:
    """Whether a line has several numbers, with spaces between."""
    cells = line.split()
    return len(cells) > 1 and all(map(is_written_number, cells))
