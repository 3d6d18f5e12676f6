"""The numbers of a column: with decimal points or decimal commas, which all of its cells decide."""

import math
import re
from collections import Counter
from collections.abc import Sequence
from itertools import islice

import numpy as np

LARGEST = 1e16  # of values: models add the squares of many in float32
TOO_LARGE = f"; expected numbers up to {LARGEST:g}: divide all by the same number"
MISSING = {"", "nan", "na", "n/a", "null", "none", "?"}
MISSING |= {"-", "--", "–", "—", ".", "..", ":", "<na>", "n.a.", "#n/a", "#div/0!", "#value!"}
MISSING |= {"n/e", "n/d", "n.d.", "nd", "k.a.", "missing"}
CURRENCY = r"(?:[$€£¥₩₹]|eur|usd|gbp|chf|jpy|fr\.|kr\.?|zł)"  # before or after a number
# Behind a number: a word or signs, whose only digits are powers, such as "°C", "m/s" or "µg/m3".
UNIT = r"(?:[°º]\s?[cf]|deg\.?\s?[cf]|[^\s\d.,'()+_-][^\s\d,()_]{0,14}[23²³]?)"
# Units by which a single cell is known to be a number; others have to be in all cells of a column.
USUAL = {*"% ‰ $ € £ ¥ ₩ ₹ eur usd gbp chf jpy fr. kr kr. zł °c °f ° º".split()}
USUAL |= {*"degc degf kg mg µg μg lb lbs oz km cm mm mi ft m/s km/h kmh mph kn knots".split()}
USUAL |= {*"hpa kpa mbar bar psi kw mw gw wh kwh mwh gwh twh kj hz khz mhz ghz".split()}
USUAL |= {*"ms min sec ml m² m³ m2 m3 km² km2 ppm ppb db lux lx kb gb tb bpm rpm kcal".split()}
USUAL |= {*"µg/m³ μg/m³ µg/m3 μg/m3 ug/m3 l/min m³/s m3/s mm/h w/m² w/m2 €/mwh eur/mwh".split()}
SAME = 3  # least number of cells that show another unit
SPACE = re.compile(r"\s")
NEGATIVE = "\u2212"  # the sign for minus of typesetters
WITH_UNIT = re.compile(
    rf"(?P<open>\()?(?P<sign>[+-])?(?P<before>{CURRENCY})?\s*"
    rf"(?P<number>[+-]?[\d.](?:[\d.,'e \u00a0\u202f+-]{{0,50}}[\d.,])?)"
    rf"\s*(?P<after>{UNIT})?(?(open)\))",
    re.IGNORECASE | re.ASCII,
)
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
        >>> is_numeric(["2 °C", "-1 °C"]), is_numeric(["2 ducks", "5 ducks", "1 ducks"])
        (True, True)
    """
    parts = [_parts(cell) for cell in islice((x for x in cells if not is_missing(x)), FIRST)]
    first, units = [number for number, _ in parts], {unit for _, unit in parts}
    if units - USUAL - {""} and (len(units) > 1 or len(parts) < SAME):
        return False
    return bool(first) and any(
        all(map(style, first)) for style in (_is_float, POINT.fullmatch, COMMA.fullmatch)
    )


def is_written_number(cell: str) -> bool:
    """Whether a cell is a number, also with a unit, or with commas or spaces in it.

    Example:
        >>> [is_written_number(cell) for cell in ("1e3", "1.234,5", "$1,200", "12 kg", "12 ducks")]
        [True, True, True, True, False]
    """
    return _is_float(cell) or is_numeric([cell])


def is_value(cell: str) -> bool:
    """Whether a cell is a finite number, in any of these ways.

    Example:
        >>> is_value("-1.5e3"), is_value("3,5 %"), is_value("inf")
        (True, True, False)
    """
    return math.isfinite(float(cell)) if _is_float(cell) else is_written_number(cell)


def is_weight(cell: str) -> bool:
    """Whether a cell is a finite number of at least 0.

    Example:
        >>> [is_weight(cell) for cell in ("0", "2,5", "-1", "nan", "many")]
        [True, True, False, False, False]
    """
    return is_value(cell) and not cell.strip().startswith(("-", "\u2212", "("))


def _parts(cell: str) -> tuple[str, str]:
    """A number as a cell writes it and its unit, such as a percent sign or a currency.

    Numbers in parentheses are negative, as in accounts.
    """
    cell = cell.strip().replace(NEGATIVE, "-")
    if _is_float(cell) or (match := WITH_UNIT.fullmatch(cell)) is None:
        return cell, ""
    number, sign, unit = match["number"], match["sign"], match["before"] or match["after"] or ""
    if match["open"]:
        sign = "-"
    if (sign and number[0] in "+-") or (match["before"] and match["after"]):
        return cell, ""
    return (sign or "") + number, SPACE.sub("", unit.lower()) if unit else ""


def read_numbers(name: str, cells: Sequence[str], bad: dict[int, str]) -> np.ndarray:
    """The numbers of a column, NaN where they are missing; adds to the reasons of bad rows.

    Decimal commas, as in `1.234,5`, and commas between thousands, as in `1,234.5`, are recognized
    by the whole column. A unit, such as a percent sign or a currency, has to be the same in all
    cells, and does not change the numbers.

    Example:
        >>> read_numbers("price", ["2,5 €", "", "(1.000,25 €)"], {}).tolist()
        [2.5, nan, -1000.25]
    """
    numbers = np.full(len(cells), np.nan)
    parts = {row: _parts(cell) for row, cell in enumerate(cells) if not is_missing(cell)}
    there = {row: number for row, (number, _) in parts.items()}
    comma = _has_commas(there)
    usual = Counter(unit for _, unit in parts.values()).most_common(1)
    for row, (cell, unit) in parts.items():
        value = _number(cell, comma)
        if unit != usual[0][0] and abs(value) <= LARGEST:
            others = f"{usual[0][0]!r}" if usual[0][0] else "no unit"
            reason = f"{name}: {cells[row].strip()!r:.40} has another unit than most cells"
            bad.setdefault(row, f"{reason}, which have {others}")
            continue
        if comma is None and "," in cell and abs(value) <= LARGEST:
            reason = f"{name}: {cell!r:.40} can have a decimal comma, or one between thousands"
            bad.setdefault(row, f"{reason}; write numbers without separators of thousands")
        elif abs(value) <= LARGEST:
            numbers[row] = value
        elif np.isfinite(value):
            bad.setdefault(row, f"{name} is {cell!r:.40}{TOO_LARGE}")
        else:
            reason = f"{name} must be a finite number, or empty if missing"
            bad.setdefault(row, f"{reason}, got {cells[row].strip()!r:.40}")
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
