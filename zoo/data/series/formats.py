"""The formats of dates: patterns of whole cells, which pages in a browser use as well."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from functools import cached_property

from zoo.data.series.month_names import MONTHS, names_pattern, plain
from zoo.data.series.period_patterns import PERIODS, ROMAN, ROMAN_DAYS
from zoo.data.series.zones import zone_of

NUMBER = "number"
EPOCHS = {
    "s": 1,
    "ms": 1000,
    "us": 1_000_000,
    "ns": 1_000_000_000,
}  # how many of each unit a second has
FIRST, LAST = 5e8, 4.1e9  # seconds of 1985 and 2099: what is between them may count from 1970
LONGEST = 100  # characters of a time
PIVOT = 69  # the first year of two digits of the last century, as in POSIX
EARLY = 37  # the same where years are not later: of a column that is so no longer
BUDDHIST = 543  # years from the Buddhist era, by which Thailand counts, to the common era

YEAR, SHORT = r"(?P<year>\d{4})", r"(?P<year>\d{4}|\d{2})"
MONTH, DAY = r"(?P<month>\d{1,2})", r"(?P<day>\d{1,2})"
NAME = rf"(?P<month>{names_pattern()})\.?"
# The first letters of weekdays in several languages, with an article behind them.
WEEKDAY = r"(?:(?:mon?|tue|wed|thu|fr|sat?|sun|di|mi|do|so|lun|mar|mer|jeu|ven|dim|jue|vie|s[áa]b"
WEEKDAY += r"|gio|ma|wo|vr|z[ao]|seg|ter|qua|qui|sex|m[åa]n|ti[rs]|ons|tor|l[øö]r|s[øö]n|pon|wt|śr"
WEEKDAY += r"|czw|pt|nie)[^\s\d]{0,12},?\s+(?:de[nr]|le|el|il)?\s*)?"
OF = r"(?:de\s+)?"  # between a day, a month and a year, in Spanish and Portuguese
OF_YEAR = r"(?:\s*[гГ]\.|\s+[гГ](?:ода?)?)?"  # "of the year" in Russian
NTH = r"(?:st|nd|rd|th|er|[ºª°.])?"
TIME = r"(?P<hour>\d{1,2})(?:[:.h](?P<minute>\d{2})(?:[:.](?P<second>\d{2})"
TIME += r"(?:[.,](?P<fraction>\d{1,9}))?)?)?(?:\s*(?P<half>[ap])\.?m\.?(?![a-z]))?"
ZONE = r"(?:\s*(?P<zone>(?:utc|gmt)?[+-]\d{1,2}(?::?\d{2})?|[a-z]{1,4}|[a-z]+(?:/[a-z_+-]+\d*)+))?"
# SAS has a colon before the time; some languages have a word before or behind it.
AT = r"(?:(?:um|klo|kl\.?|at|[àÀa]|alle|om)\s+)?"
OCLOCK = r"(?:\s*(?:uhr|h(?:rs)?|時|시)(?![a-z]))?"
REST = rf"(?:(?:[t:]|,?\s+{AT}){TIME}{OCLOCK})?{ZONE}"
SMALL = ("day", "minute", "second")
MONTH_DIGITS = r"(?P<year>(?:1[3-9]|2[0-6])\d{2})(?P<month>\d{2})"
DIGITS = MONTH_DIGITS + r"(?P<day>\d{2})"


@dataclass(frozen=True)
class DateFormat:
    """One way to write a time.

    Args:
        name: What it is called in messages.
        pattern: A regular expression of a whole cell, whatever the case of its letters.
        unit: Of numbers, what they count: seconds since 1970 as a key of `EPOCHS`, or `NUMBER`;
            empty for dates.
        digits: Whether a number can be meant as well.
    """

    name: str
    pattern: str
    unit: str = ""
    digits: bool = False

    @cached_property
    def _compiled(self) -> re.Pattern[str]:
        return re.compile(self.pattern, re.IGNORECASE | re.ASCII)

    @property
    def is_short(self) -> bool:
        """Whether years may have two digits."""
        year = self.pattern.partition("(?P<year>")[2].partition("(?P<")[0]
        return year.startswith((r"\d{2})", r"\d{1,2})")) or r"|\d{2})" in year

    def read(self, cell: str, pivot: int = PIVOT) -> datetime | int | None:
        """The time of a cell, with its zone if it has one; None if it is written otherwise.

        Args:
            cell: The cell.
            pivot: The first year of two digits of the last century.

        Example:
            >>> FORMATS[0].read("2024-01-31 12:00"), FORMATS[0].read("2024-02-30")
            (datetime.datetime(2024, 1, 31, 12, 0), None)
        """
        if not cell.isascii():
            cell = unicodedata.normalize("NFC", cell)
        if len(cell) > LONGEST or (match := self._compiled.fullmatch(cell)) is None:
            return None
        try:
            return _number(cell, self.unit) if self.unit else _date(match.groupdict(), pivot)
        except (ValueError, OverflowError):
            return None


FORMATS = [
    DateFormat("year-month-day", rf"{YEAR}[-/. 年년]\s*{MONTH}[-/. 月월]\s*{DAY}[.日일]?{REST}"),
    DateFormat("year-month", rf"{YEAR}(?:[-/年년]\s?|\s?m){MONTH}[月월]?"),
    DateFormat("month/year", rf"{MONTH}[-/]{YEAR}"),
    DateFormat("day/month/year", rf"{DAY}[-/. ]{MONTH}[-/. ]{SHORT}{REST}"),
    DateFormat("month/day/year", rf"{MONTH}[-/ ]{DAY}[-/ ]{SHORT}{REST}"),
    DateFormat("month day, year", rf"{WEEKDAY}{NAME}[-/ ]?{DAY}{NTH},?[-/ ]\s*{SHORT}{REST}"),
    DateFormat(
        "day month year",
        rf"{WEEKDAY}{DAY}{NTH}[-/ ]?{OF}{NAME},?[-/ ]?{OF}{SHORT}{OF_YEAR}{REST}",
    ),
    DateFormat("year month day", rf"{YEAR}[-/ ]?{NAME}(?:[-/ ]{DAY}{REST})?"),
    DateFormat("month year", rf"{NAME},?[-/ ']*{OF}{SHORT}{OF_YEAR}"),
    DateFormat("month day time year", rf"{WEEKDAY}{NAME}\s+{DAY}\s+{TIME}{ZONE}\s+{YEAR}"),
    DateFormat("quarter", rf"{YEAR}[-/ .:]?[qt](?P<quarter>[1-4])"),
    DateFormat(
        "quarter of a year", rf"(?:[qt](?P<quarter>[1-4])|(?P<before>[1-4])[qt])[-/ ']*{SHORT}"
    ),
    *(DateFormat(*each) for each in PERIODS),
    *(DateFormat(name, pattern + REST) for name, pattern in ROMAN_DAYS),
    DateFormat("week", rf"{YEAR}[-/ ]?[ws](?P<week>\d{{1,2}})(?:-(?P<weekday>[1-7]))?"),
    DateFormat("week of a year", rf"(?:k?w|week)\s?(?P<week>\d{{1,2}})[-/, ]+{YEAR}"),
    DateFormat("year-day of year", rf"{YEAR}-(?P<ordinal>\d{{3}}){REST}"),
    DateFormat("yearmonthday", rf"{DIGITS}(?:\.0+)?", digits=True),
    DateFormat(
        "yearmonthdaytime",
        rf"{DIGITS}[t _]?(?P<hour>\d{{2}}):?(?P<minute>\d{{2}})(?::?(?P<second>\d{{2}}))?{ZONE}",
    ),
    DateFormat("yearmonthdayhour", rf"{DIGITS}[t _]?(?P<hour>\d{{2}}){ZONE}", digits=True),
    DateFormat("yearday", r"(?P<year>(?:19|20)\d{2})(?P<ordinal>\d{3})(?:\.0+)?", digits=True),
    DateFormat("yearmonth", rf"{MONTH_DIGITS}(?:\.0+)?", digits=True),
    *(
        DateFormat(f"seconds since 1970 ({unit})", r"\d{9,19}(?:\.\d+)?|\d\.\d+e\+?\d+", unit, True)
        for unit in EPOCHS
    ),
    DateFormat("year-month-day of two digits", rf"(?P<year>\d{{2}})[-/.]{MONTH}[-/.]{DAY}{REST}"),
    DateFormat("whole number", r"[+-]?\d{1,18}(?:\.0*)?|[+-]?\d(?:\.\d+)?e\+?\d+", NUMBER, True),
]
COUNTED = MONTHS | ROMAN  # numbers of months, quarters and halves of years that are no digits
# The directives of `strptime` that have a pattern.
DIRECTIVES = {
    "Y": YEAR, "y": r"(?P<year>\d{2})", "m": MONTH, "d": DAY, "b": NAME, "B": NAME,
    "H": r"(?P<hour>\d{1,2})", "I": r"(?P<hour>\d{1,2})", "M": r"(?P<minute>\d{1,2})",
    "S": r"(?P<second>\d{1,2})", "f": r"(?P<fraction>\d{1,9})", "p": r"(?P<half>[ap])\.?m\.?",
    "EY": r"(?P<era>\d{4})", "z": ZONE, "Z": ZONE, "a": "[a-z]+", "A": "[a-z]+", "%": "%",
}  # fmt: skip


def format_of(text: str) -> DateFormat:
    """The format that a user gives in the way of `strptime`; `%EY` is a year of the Buddhist era.

    Raises:
        ValueError: If a directive is unknown or there twice, or there is no year.

    Example:
        >>> format_of("%d.%m.%Y").read("31.01.2024")
        datetime.datetime(2024, 1, 31, 0, 0)
    """
    parts = re.split(r"%(E?.)", text)
    known = [DIRECTIVES.get(each) for each in parts[1::2]]
    if None in known or not {"Y", "y", "EY"} & {*parts[1::2]}:
        listed = " ".join(f"%{each}" for each in DIRECTIVES)
        raise ValueError(f"date_format must have a year, and directives among {listed}: {text!r}")
    plain = [re.escape(each) for each in parts[::2]]
    pattern = "".join(a + (b or "") for a, b in zip(plain, [*known, ""], strict=True))
    try:
        re.compile(pattern)
    except re.error:
        raise ValueError(f"date_format has a directive twice: {text!r}") from None
    return DateFormat(text, pattern)


def _number(cell: str, unit: str) -> datetime | int | None:
    whole, _, rest = cell.partition(".")
    count = int(float(cell)) if "e" in cell.lower() else int(whole)
    if unit == NUMBER:
        return count if float(cell) == int(float(cell)) else None
    size = EPOCHS[unit]
    if not FIRST <= count / size <= LAST:
        return None
    seconds, parts = divmod(count, size)
    fraction = "" if "e" in cell.lower() else rest
    micro = parts * 1_000_000 // size if size > 1 else int(f"{fraction:0<6}"[:6])
    return datetime.fromtimestamp(seconds, UTC).replace(tzinfo=None, microsecond=micro)


def full_year(digits: str, pivot: int = PIVOT) -> str:
    """A year of two digits, or one that lost its zero, in four; another one as it is.

    Args:
        digits: The year.
        pivot: The first year of two digits of the last century.

    Example:
        >>> full_year("24"), full_year("69"), full_year("7"), full_year("2024")
        ('2024', '1969', '2007', '2024')
    """
    digits = digits and digits.zfill(2)
    if len(digits) != 2 or not digits.isdigit():
        return digits
    return f"{19 if int(digits) >= pivot else 20}{digits}"


def full_years(years: Sequence[str]) -> list[str]:
    """A column of years of two digits in four, in the centuries in which it is shorter.

    Example:
        >>> full_years(["67", "68", "69"]), full_years(["24", "49"])
        (['1967', '1968', '1969'], ['2024', '2049'])
    """
    usual, early = ([full_year(each, pivot) for each in years] for pivot in (PIVOT, EARLY))
    return early if _years_of(early) <= _years_of(usual) else usual


def _years_of(years: Sequence[str]) -> int:
    numbers = [int(each) for each in years if each.isdigit()]
    return max(numbers) - min(numbers) if numbers else 0


def _date(groups: dict[str, str | None], pivot: int) -> datetime | None:
    """The time that the groups of a pattern say."""
    given = {name: text for name, text in groups.items() if text}
    year = int(given["era"]) - BUDDHIST if "era" in given else int(full_year(given["year"], pivot))
    if quarter := given.get("quarter") or given.get("before"):
        return datetime(year, 3 * _count(quarter) - 2, 1)
    if half_year := given.get("semester") or given.get("half_before"):
        return datetime(year, 6 * _count(half_year) - 5, 1)
    if "week" in given:
        day = date.fromisocalendar(year, int(given["week"]), int(given.get("weekday", 1)))
        return datetime(day.year, day.month, day.day)
    if "ordinal" in given:
        own = date(year, 1, 1) + timedelta(days=int(given["ordinal"]) - 1)
        if own.year != year:
            return None
        given |= {"month": str(own.month), "day": str(own.day)}
    month = _count(given.get("month", "1"))
    hour = int(given.get("hour", 0))
    if half := given.get("half"):
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + 12 * (half.lower() == "p")
    late = hour == 24 and not int(given.get("minute", 0))  # the end of a day
    first, minute, second = (int(given.get(part, part == "day")) for part in SMALL)
    micro = int(f"{given.get('fraction', ''):0<6}"[:6])
    time = datetime(year, month, first, 0 if late else hour, minute, second, micro)
    time += timedelta(days=late)
    return time.replace(tzinfo=zone_of(given["zone"])) if "zone" in given else time


def _count(text: str) -> int:
    """A number in digits or Roman numerals, or that of the name of a month."""
    return int(text) if text.isdigit() else COUNTED[plain(text)]
