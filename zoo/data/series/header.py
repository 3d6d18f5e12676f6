"""The header of a table of series, also of one so short that only its values show it."""

from collections.abc import Sequence
from pathlib import Path

from zoo.data.readers.numbers import is_numeric
from zoo.data.readers.tables import TableReader, open_table
from zoo.data.series.dates import is_date
from zoo.data.series.tables import USUAL
from zoo.data.series.wide import times_among


def open_series_table(
    path: Path, named: Sequence[str] = (), encoding: str | None = None
) -> TableReader:
    """Opens the table of a file.

    Its first row also names the columns if it has no date and no number, but the rows below it do;
    or if it has little but dates or years.

    Args:
        path: The file.
        named: Column names that the user gave.
        encoding: The encoding of a file without a byte order mark, by default UTF-8.

    Raises:
        UserError: If the file is missing, cannot be read, or has an unknown format.

    Example:
        >>> path = getfixture("tmp_path") / "a.csv"
        >>> _ = path.write_text("when,north\\n2024-01-01,3\\n2024-01-02,5\\n")
        >>> open_series_table(path).names
        ['when', 'north']
    """
    reader = open_table(path, "series", [*named, *USUAL], encoding)
    columns = [reader.sample.texts(index) for index in range(len(reader.names))]
    if reader.header or len(reader.sample) < 2:
        return reader
    if times_among([cells[0] for cells in columns]):
        return reader.with_first_row_as_header()
    has_value = any(_is_value(cells[0]) for cells in columns)
    if has_value or not any(is_numeric(cells[1:]) for cells in columns):
        return reader
    return reader.with_first_row_as_header()


def _is_value(cell: str) -> bool:
    return is_date(cell) or is_numeric([cell])
