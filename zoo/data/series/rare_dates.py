"""Dates in digits that are numbers as well, unless the whole column says that they are dates."""

import re
from collections.abc import Sequence
from itertools import pairwise

from zoo.data.series.formats import DateFormat
from zoo.data.series.whole_columns import is_regular, read_cells

DIGITS = re.compile(r"[0-9]+(?:\.[0-9]*)?")
FEWEST = 3  # different cells of which it can be said
YEAR, SHORT = r"(?P<year>(?:1[5-9]|20)\d{2})", r"(?P<year>\d{2})"
MONTH, DAY = r"(?P<month>\d{2})", r"(?P<day>\d{2})"
WHOLE = r"(?:\.0+)?"  # of numbers with decimals
# Numbers have lost a first zero.
EARLY, FIRST_MONTH, FIRST_DAY = r"(?P<year>\d{1,2})", r"(?P<month>\d{1,2})", r"(?P<day>\d{1,2})"
RARE = [
    DateFormat("yearmonthday of two digits", EARLY + MONTH + DAY + WHOLE, digits=True),
    DateFormat("daymonthyear of two digits", FIRST_DAY + MONTH + SHORT + WHOLE, digits=True),
    DateFormat("monthdayyear of two digits", FIRST_MONTH + DAY + SHORT + WHOLE, digits=True),
    DateFormat("daymonthyear", FIRST_DAY + MONTH + YEAR + WHOLE, digits=True),
    DateFormat("monthdayyear", FIRST_MONTH + DAY + YEAR + WHOLE, digits=True),
    DateFormat("monthyear", FIRST_MONTH + YEAR + WHOLE, digits=True),
    DateFormat("week as digits", YEAR + r"(?P<week>\d{2})" + WHOLE, digits=True),
    DateFormat("quarter behind a dot", YEAR + r"\.(?P<quarter>[1-4])", digits=True),
]


def rare_format(cells: Sequence[str]) -> DateFormat | None:
    """The format in which all cells are dates, if they are no numbers that are equally far apart.

    Of several formats, it is the one in which the dates are equally far apart, and of several of
    those the one with years of four digits.

    Example:
        >>> rare_format(["870130", "870131", "870201"]).name
        'yearmonthday of two digits'
        >>> rare_format(["870101", "870102", "870103"]), rare_format(["1", "2", "4"])
        (None, None)
    """
    different = sorted({cell for cell in cells if cell})
    if len(different) < FEWEST or not all(map(DIGITS.fullmatch, different)):
        return None
    numbers = sorted(map(float, different))
    if len({round(b - a, 9) for a, b in pairwise(numbers)}) == 1:
        return None
    fitting = [each for each in RARE if None not in (each.read(x) for x in different)]
    regular = [each for each in fitting if is_regular(read_cells(each, different))]
    chosen = regular if len(fitting) > 1 else fitting
    if len(chosen) > 1:
        chosen = [each for each in chosen if not each.is_short]
    return chosen[0] if len(chosen) == 1 else None
