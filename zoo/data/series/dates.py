"""The times of a column, in one format that all of its cells decide."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from zoo.data.series.formats import BUDDHIST, FORMATS, NUMBER, DateFormat, format_of
from zoo.data.series.intervals import start_of_interval
from zoo.data.series.month_names import MONTHS, plain
from zoo.data.series.rare_dates import rare_format
from zoo.data.series.whole_columns import Time, is_regular, read_cells

EXPECTED = "a date such as 2024-01-31 or 2024-01-31 12:00, or a whole number"
MOST = 0.9  # share of cells of a column of dates that are dates
TRIED = 100  # number of first cells, of which a format reads at least one
DAY_FIRST, MONTH_FIRST = FORMATS[3], FORMATS[4]
BOTH = {DAY_FIRST: "%d/%m/%Y", MONTH_FIRST: "%m/%d/%Y"}
# Numbers that are dates only in a column that is known to have times.
UNSURE = {"yearmonth", "yearmonthdayhour", "yearday"}
# Years of other calendars, of which the common era had or will have no tables of dates.
BUDDHIST_YEARS, ISLAMIC_YEARS = range(1900 + BUDDHIST, 2100 + BUDDHIST), range(1300, 1500)
DIFFERENT = 0.9  # share of different cells of a column of times
SMALL_NUMBERS, WORD = re.compile(r"(?<!\d)\d{1,2}(?!\d)"), re.compile(r"[^\W\d_]{3,}")
LONGEST_MARKS, MOST_OF_ERA = 6, 64  # other signs of a day, and years of an era
YEAR = re.compile(r"(?<!\d)(1[5-9]|2[01])\d\d(?!\d)")


class Undecided(ValueError):
    """Dates that can be read day first and month first."""


class OtherCalendar(ValueError):
    """Dates of another calendar than the Gregorian."""


@dataclass(frozen=True)
class Times:
    """The times of a column.

    Args:
        format: How they are written.
        values: The time of each cell; None where it is not written so.
    """

    format: DateFormat
    values: list[Time | None]

    @property
    def day_first(self) -> bool | None:
        """Whether the day is before the month; None where that could not be mistaken."""
        return self.format is DAY_FIRST if self.format in BOTH else None

    @property
    def style(self) -> str:
        """How times are written that are no days: "quarter", "half" or "week"; else empty."""
        name = self.format.name.split()[0]
        if name == "week" and any(isinstance(x, datetime) and x.weekday() for x in self.values):
            return ""  # days of weeks
        return name if name in ("quarter", "half", "week") else ""


def read_times(
    cells: Sequence[str], given: str | None = None, day_first: bool | None = None
) -> Times:
    """The times of a column: the format is the one that reads its cells.

    Years of two digits are those of the last century from 69 on, or from 37 on if the column then
    is no longer: `Jan-49` to `Dec-60` end in 1960.

    Numbers are dates if they can be: `20240131`, `202401`, or seconds, milliseconds, microseconds
    or nanoseconds since 1970. Where a date can be read day first and month first, the order is the
    one in which some other cell is a date at all, or in which all times are equally far apart.

    Args:
        cells: The cells.
        given: The format, in the way of `strptime`; None to decide it.
        day_first: The order of what cannot be decided; None to refuse it.

    Raises:
        Undecided: If the order of day and month cannot be decided.
        OtherCalendar: If all years are those of another calendar, unless `given` is given.
        ValueError: If `given` is not a format.

    Example:
        >>> read_times(["1/2/2024", "1/16/2024"]).values[0]
        datetime.datetime(2024, 1, 2, 0, 0)
        >>> read_times(["20240131", "20240201"]).values[1]
        datetime.datetime(2024, 2, 1, 0, 0)
    """
    cells = [cell.strip() for cell in cells]
    if given is not None:
        chosen = format_of(given)
        return Times(chosen, read_cells(chosen, cells))
    first = [cell for cell in cells if cell][:TRIED]
    tried = [each for each in FORMATS if any(each.read(cell) is not None for cell in first)]
    readings = [Times(each, read_cells(each, cells)) for each in tried or FORMATS[:1]]
    there = sum(map(bool, cells))
    best = _best(readings, there)
    unsure = best.format.unit == NUMBER or _count(best) < there
    if unsure and (rare := rare_format(cells)):
        return Times(rare, read_cells(rare, cells))
    check_calendar(best.values)
    if best.format not in BOTH:
        return best
    orders = {x.format: x for x in readings if x.format in BOTH and _count(x) == _count(best)}
    return _ordered(orders, best, cells, day_first)


def check_calendar(times: Sequence[Time | None]) -> None:
    """Refuses dates whose years are all those of another calendar.

    Raises:
        OtherCalendar: If they are.

    Example:
        >>> check_calendar([datetime(2021, 1, 31), datetime(2564, 1, 31)])
    """
    years = {each.year for each in times if isinstance(each, datetime)}
    if not years:
        return
    year = max(years)
    if years <= {*BUDDHIST_YEARS}:
        raise OtherCalendar(
            f"the years, such as {year}, seem to be of the Buddhist era: choose --date-format, "
            f"such as %d/%m/%EY, where %EY reads {year} as {year - BUDDHIST}"
        )
    if years <= {*ISLAMIC_YEARS}:
        raise OtherCalendar(
            f"the years, such as {year}, seem to be of an Islamic or Iranian calendar: write dates "
            "of the Gregorian calendar, such as 2024-01-31"
        )


def _best(readings: Sequence[Times], cells: int) -> Times:
    dates = [each for each in readings if each.format.unit != NUMBER]
    numbers = [each for each in readings if each.format.unit == NUMBER]
    best = max(dates, key=lambda each: (_count(each), is_regular(each.values)), default=None)
    if best is None:
        return numbers[0]
    certain = _count(best) >= MOST * cells
    return best if certain or not numbers or _count(numbers[0]) <= _count(best) else numbers[0]


def _ordered(
    orders: dict[DateFormat, Times], best: Times, cells: Sequence[str], day_first: bool | None
) -> Times:
    """The one of two orders of day and month that is meant."""
    if len(orders) < 2:
        return best
    if orders[DAY_FIRST].values == orders[MONTH_FIRST].values:
        return best
    if day_first is not None:
        return orders[DAY_FIRST if day_first else MONTH_FIRST]
    regular = [each for each in orders.values() if is_regular(each.values)]
    if len(regular) == 1:
        return regular[0]
    shown = next(cell for cell in cells if cell)
    raise Undecided(
        f"{shown!r:.40} can be read day first and month first: choose --date-format "
        f"{' or '.join(BOTH.values())}"
    )


def _count(times: Times) -> int:
    return sum(each is not None for each in times.values)


def is_date(cell: str) -> bool:
    """Whether a cell is a date, or an interval of dates, and not a number.

    Example:
        >>> is_date("2024-01-31"), is_date("Jan 1 2000"), is_date("1974"), is_date("a fine film")
        (True, True, False, False)
    """
    cell = cell.strip()
    written = any(not x.digits and x.read(cell) is not None for x in FORMATS)
    return written or start_of_interval(cell) is not None


def are_dates(cells: Sequence[str]) -> bool:
    """Whether the cells of a column are dates, also as numbers such as 20240131, or intervals.

    Example:
        >>> are_dates(["20240131", "20240201"]), are_dates(["20240131", "20240230"])
        (True, False)
    """
    there = [cell.strip() for cell in cells if cell.strip()]
    formats = [each for each in FORMATS if each.unit != NUMBER and each.name not in UNSURE]
    if there and any(all(x.read(c) is not None for c in there) for x in formats):
        return True
    return bool(there) and all(start_of_interval(cell) is not None for cell in there)


def resemble_dates(cells: Sequence[str]) -> bool:
    """Whether cells may be dates in a form that is not read: different texts with a year, or days.

    Days without a year, or with one of an emperor, are two or three small numbers.

    Example:
        >>> resemble_dates(["1st of January 2020", "2nd of January 2020"])
        True
        >>> resemble_dates(["2020", "2021"]), resemble_dates(["a film of 1999", "a film"])
        (False, False)
        >>> resemble_dates(["31.03.", "01.04."]), resemble_dates(["case 1-17", "case 2-85"])
        (True, False)
    """
    there = [cell.strip() for cell in cells if cell.strip()]
    if not there or len({*there}) < DIFFERENT * len(there):
        return False
    with_year = all(YEAR.search(x) and not YEAR.fullmatch(x) for x in there)
    return with_year or all(map(_resembles_day, there))


def _resembles_day(cell: str) -> bool:
    """Whether a text has a day and a month, maybe with the year of an era, and no more."""
    numbers = [int(each) for each in SMALL_NUMBERS.findall(cell)]
    named = any(plain(word) in MONTHS for word in WORD.findall(cell))
    others = WORD.sub("", SMALL_NUMBERS.sub("", cell)) if named else SMALL_NUMBERS.sub("", cell)
    if len(others) > LONGEST_MARKS or any(each.isdigit() for each in others):
        return False
    few = len(numbers) in ((1, 2) if named else (2, 3))
    return (
        few
        and all(1 <= each <= MOST_OF_ERA for each in numbers)
        and min(numbers) <= 12 + 19 * named
    )
