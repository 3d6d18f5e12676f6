"""Rows below the header of a table that have units, as loggers and statistical offices write."""

from collections.abc import Sequence

from zoo.data.readers.numbers import is_missing, is_written_number

MOST = 3  # such rows: units, how values were made, numbers of sensors
FEWEST, LOOKED_AT = 3, 50  # rows below them that show what the columns have
LONGEST = 30  # characters of a unit


def units_below(rows: Sequence[Sequence[str]]) -> int:
    """The number of first rows that have units instead of numbers.

    Such a row has no number and no date in any column that has them below it, but another text in
    one of numbers.

    Args:
        rows: The first rows below a header.

    Example:
        >>> units_below([["", "°C"], ["2024-01-01", "3.5"], ["2024-01-02", "5"], ["3", "4"]])
        1
    """
    rows = rows[: MOST + LOOKED_AT]
    for count in range(min(MOST, len(rows) - FEWEST), 0, -1):
        width = len(rows[count])
        below = [row for row in rows[count:] if len(row) == width]
        if all(len(row) == width for row in rows[:count]) and len(below) >= FEWEST:
            columns = [[cell.strip() for cell in column] for column in zip(*below, strict=True)]
            if all(_has_units(row, columns) for row in rows[:count]):
                return count
    return 0


def _has_units(row: Sequence[str], columns: Sequence[Sequence[str]]) -> bool:
    is_unit = False
    for cell, column in zip(map(str.strip, row), columns, strict=True):
        there = [each for each in column if not is_missing(each)]
        if not cell or not there:
            continue
        if all(map(is_written_number, there)):
            if is_missing(cell) or is_written_number(cell):
                return False
            is_unit = True
        elif (
            len(cell) > LONGEST or cell in there or 0 < min(map(_digits, there)) < 2 * _digits(cell)
        ):
            return False
    return is_unit


def _digits(cell: str) -> int:
    return sum(map(str.isdigit, cell))
