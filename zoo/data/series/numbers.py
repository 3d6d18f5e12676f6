"""The numbers of a column: with decimal points or decimal commas, which all of its cells decide."""

import re
from collections.abc import Sequence

import numpy as np

from zoo.data.series.series import LARGEST, TOO_LARGE

MISSING = {"", "nan", "na", "n/a", "null", "none", "?"}
FIRST = 20  # number of cells that say whether a column has numbers
SPACES = "[ \u00a0\u202f']"  # between thousands
POINT = re.compile(
    rf"[+-]?(?:\d{{1,3}}(?:{SPACES}\d{{3}})+|[1-9]\d{{0,2}}(?:,\d{{3}})+|\d+)(?:\.\d*)?(?:e[+-]?\d+)?",
    re.IGNORECASE | re.ASCII,
)
COMMA = re.compile(
    rf"[+-]?(?:\d{{1,3}}(?:(?:{SPACES}|\.)\d{{3}})+|\d+)(?:,\d*)?(?:e[+-]?\d+)?",
    re.IGNORECASE | re.ASCII,
)


def is_missing(cell: str) -> bool:
    """Whether a cell says that there is no number."""
    return cell.strip().lower() in MISSING


def is_numeric(cells: Sequence[str]) -> bool:
    """Whether the first cells that are not missing are numbers.

    Example:
        >>> is_numeric(["", "7", "2.5"]), is_numeric(["7", "2,5"]), is_numeric(["Rome", "7"])
        (True, True, False)
    """
    first = [cell.strip() for cell in cells if not is_missing(cell)][:FIRST]
    return bool(first) and any(
        all(map(style, first)) for style in (_is_float, POINT.fullmatch, COMMA.fullmatch)
    )


def read_numbers(name: str, cells: Sequence[str], bad: dict[int, str]) -> np.ndarray:
    """The numbers of a column, NaN where they are missing; adds to the reasons of bad rows.

    Decimal commas, as in `1.234,5`, and commas between thousands, as in `1,234.5`, are recognized
    by the whole column.

    Example:
        >>> read_numbers("price", ["2,5", "", "1.000,25"], {}).tolist()
        [2.5, nan, 1000.25]
    """
    numbers = np.full(len(cells), np.nan)
    there = {row: cell.strip() for row, cell in enumerate(cells) if not is_missing(cell)}
    comma = _has_commas(there)
    for row, cell in there.items():
        value = _number(cell, comma)
        if comma is None and "," in cell and abs(value) <= LARGEST:
            reason = f"{name}: {cell!r:.40} can have a decimal comma, or one between thousands"
            bad.setdefault(row, f"{reason}; write numbers without separators of thousands")
        elif abs(value) <= LARGEST:
            numbers[row] = value
        elif np.isfinite(value):
            bad.setdefault(row, f"{name} is {cell!r:.40}{TOO_LARGE}")
        else:
            reason = f"{name} must be a finite number, or empty if missing, got {cell!r:.40}"
            bad.setdefault(row, reason)
    return numbers


def _has_commas(there: dict[int, str]) -> bool | None:
    """Whether cells have decimal commas; None if some have commas that can be read in two ways."""
    others = [cell for cell in there.values() if not _is_float(cell)]
    if not others:
        return False
    points, commas = (sum(map(bool, map(x.fullmatch, others))) for x in (POINT, COMMA))
    if points == commas and any("," in cell for cell in others):
        return None if points else False
    return commas > points


def _number(cell: str, comma: bool | None) -> float:
    """A number; infinite if the cell is none."""
    if comma and COMMA.fullmatch(cell):
        cell = cell.replace(".", "").replace(",", ".")
    elif not comma and POINT.fullmatch(cell):
        cell = cell.replace(",", "")
    try:
        return float(re.sub(rf"(?<=\d){SPACES}(?=\d)", "", cell))
    except ValueError:
        return float("inf")


def _is_float(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True
