"""Opens a table of series, which also knows the header of a short table."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from zoo.data.readers.tables import Row, Table, read_table
from zoo.data.series.dates import is_date
from zoo.data.series.numbers import is_numeric
from zoo.data.series.tables import USUAL


def open_table(path: Path, named: Sequence[str] = (), encoding: str | None = None) -> Table:
    """The table of a file.

    Its first row also names the columns if it has no date and no number, but the rows below it do.

    Args:
        path: The file.
        named: Column names that the user gave.
        encoding: The encoding of a file without a byte order mark, by default UTF-8.

    Raises:
        UserError: If the file is missing, cannot be read, or has an unknown format.

    Example:
        >>> path = getfixture("tmp_path") / "a.csv"
        >>> _ = path.write_text("when,north\\n2024-01-01,3\\n2024-01-02,5\\n")
        >>> open_table(path).names
        ['when', 'north']
    """
    table = read_table(path, "series", [*named, *USUAL], encoding)
    if table.header or len(table.sample) < 2:
        return table
    (first, *others), width = table.sample, len(table.names)
    below = list(zip(*(cells for cells in others if len(cells) == width), strict=True))
    if any(map(_is_value, first)) or not any(is_numeric(column) for column in below):
        return table
    names = [cell.strip() for cell in first]
    return replace(table, names=names, header=True, sample=others, rows=_after_first(table.rows))


def _is_value(cell: str) -> bool:
    return is_date(cell) or is_numeric([cell])


def _after_first(rows: Iterator[Row]) -> Iterator[Row]:
    """The rows without the first one that is valid."""
    found = False
    for row in rows:
        if found or not row.cells or row.reason is not None:
            yield row
        else:
            found = True
