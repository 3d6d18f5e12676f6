"""Tables of numbers in text files whose names do not say so, as weather services write them."""

from pathlib import Path

from zoo.data.readers.dialect import DELIMITERS
from zoo.data.readers.files import START, format_of, opened_text
from zoo.data.readers.numbers import is_written_number

SUFFIXES = (".txt", ".dat", ".data", ".asc")
FEWEST, LOOKED_AT = 10, 200  # lines that show such a table


def is_loose_table(path: Path, encoding: str | None = None) -> bool:
    """Whether a text file is a table: all lines have as many cells, and some columns have numbers.

    Example:
        >>> path = getfixture("tmp_path") / "iris.data"
        >>> _ = path.write_text("5.1,3.5,setosa\\n" * 20)
        >>> is_loose_table(path), is_loose_table(path.with_suffix(".csv"))
        (True, False)
    """
    if format_of(path) not in SUFFIXES or not path.is_file():
        return False
    with opened_text(path, encoding) as file:
        text = file.stream.read(START)
    lines = (text if len(text) < START else text[: text.rfind("\n")]).rstrip().split("\n")
    return len(lines) >= FEWEST and any(_has_numbers(lines[:LOOKED_AT], x) for x in DELIMITERS)


def _has_numbers(lines: list[str], delimiter: str) -> bool:
    rows = [line.split(delimiter) for line in lines]
    if len(rows[0]) < 2 or len({len(row) for row in rows}) > 1:
        return False
    columns = zip(*rows[1:], strict=True)
    return any(all(map(is_written_number, map(str.strip, cells))) for cells in columns)
