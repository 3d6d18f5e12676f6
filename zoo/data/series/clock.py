"""The clock of a time series: how far its times are apart, and the times that come next."""

import calendar
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any, Self

STEP, SECOND, MONTH = "step", "second", "month"
MINUTE, HOUR, DAY, WEEK = 60, 3600, 86_400, 604_800
EPOCH = datetime(1970, 1, 1)
LONGEST_SEASON = 300  # in steps, of seasons that are chosen by default
EXPECTED = "a date such as 2024-01-31 or 2024-01-31 12:00, or a whole number"


@dataclass(frozen=True)
class Clock:
    """A regular sequence of times, which are counted in steps, seconds or months.

    Args:
        unit: "step" for numbers, "second" for dates, "month" for dates that are months apart.
        step: Number of units between two times.
        day: Day of the month of dates that are months apart; 0 for the last day.
        second: Time of the day of dates that are months apart, in seconds.

    Example:
        >>> clock = Clock.of([[datetime(2024, 1, 31), datetime(2024, 2, 29)]])
        >>> clock.label(clock.count(datetime(2024, 2, 29)) + 1), clock.season
        ('2024-03-31', 12)
    """

    unit: str = STEP
    step: int = 1
    day: int = 0
    second: int = 0

    @classmethod
    def of(cls, columns: Iterable[Sequence[Any]]) -> Self:
        """The clock of the times of one or several series.

        Args:
            columns: The times of each series, from `parse`, in order.
        """
        columns = list(columns)
        every = [time for column in columns for time in column]
        if not every or not isinstance(every[0], datetime):
            return cls(STEP, _usual_difference(columns, 1))
        seconds = {_second_of_day(time) for time in every}
        days = {0 if _is_month_end(time) else time.day for time in every}
        days = {time.day for time in every} if len(days) > 1 else days
        months = {_months(time) for time in every}
        if len(seconds) == len(days) == 1 and len(months) > 1:
            found = cls(MONTH, 1, days.pop(), seconds.pop())
            return cls(
                MONTH,
                _usual_difference([[found.count(x) for x in c] for c in columns], 1),
                found.day,
                found.second,
            )
        found = cls(SECOND)
        counts = [[found.count(x) for x in column] for column in columns]
        return cls(SECOND, _usual_difference(counts, DAY))

    def count(self, time: Any) -> int:
        """A time from `parse` as a number of units."""
        if self.unit == MONTH:
            return _months(time)
        return time if self.unit == STEP else int((time - EPOCH).total_seconds())

    def label(self, count: int) -> str:
        """The time after a number of units, as text."""
        if self.unit == STEP:
            return str(count)
        if self.unit == MONTH:
            year, month = count // 12, count % 12 + 1
            day = self.day or calendar.monthrange(year, month)[1]
            time = datetime(year, month, day) + timedelta(seconds=self.second)
        else:
            time = EPOCH + timedelta(seconds=count)
        return str(time) if _second_of_day(time) or self.step % DAY and self.unit == SECOND else (
            str(time.date())
        )  # fmt: skip

    @property
    def season(self) -> int:
        """The usual number of steps after which times repeat: a year, a week or a day; else 1."""
        if self.unit == MONTH:
            return 12 // self.step if 12 % self.step == 0 else 1
        if self.unit == STEP:
            return 1
        known = {WEEK: 52, DAY: 7}
        spans = [span for span in (DAY, HOUR, MINUTE) if span % self.step == 0]
        fitting = [span // self.step for span in spans if 1 < span // self.step <= LONGEST_SEASON]
        return known.get(self.step, fitting[0] if fitting else 1)

    def __str__(self) -> str:
        if self.unit == STEP:
            return "numbered steps"
        spans = {"week": WEEK, "day": DAY, "hour": HOUR, "minute": MINUTE, "second": 1}
        name, size = (MONTH, 1) if self.unit == MONTH else next(
            (name, size) for name, size in spans.items() if self.step % size == 0
        )  # fmt: skip
        count = self.step // size
        return f"every {name}" if count == 1 else f"every {count} {name}s"

    def facts(self) -> dict[str, Any]:
        """The arguments, as JSON types."""
        return asdict(self)


def parse(cell: str) -> Any:
    """A time: a whole number, or a date without a time zone.

    Raises:
        ValueError: If the cell is neither.

    Example:
        >>> parse("1974"), parse("2024-01"), parse("2024-01-31T12:00:00+01:00")
        (1974, datetime.datetime(2024, 1, 1, 0, 0), datetime.datetime(2024, 1, 31, 11, 0))
    """
    cell = cell.strip()
    try:
        number = float(cell)
    except ValueError:
        pass
    else:
        if number != int(number):
            raise ValueError(f"expected {EXPECTED}, got {cell!r:.40}")
        return int(number)
    try:
        time = datetime.fromisoformat(f"{cell}-01" if len(cell) == len("2024-01") else cell)
    except ValueError:
        raise ValueError(f"expected {EXPECTED}, got {cell!r:.40}") from None
    return time.astimezone(UTC).replace(tzinfo=None) if time.tzinfo else time


def is_date(cell: str) -> bool:
    """Whether a cell is a date, and not a number.

    Example:
        >>> is_date("2024-01-31"), is_date("1974"), is_date("a fine film")
        (True, False, False)
    """
    try:
        return isinstance(parse(cell), datetime)
    except (ValueError, OverflowError):
        return False


def _usual_difference(columns: Iterable[Sequence[int]], otherwise: int) -> int:
    """The most frequent distance of consecutive times, of equally frequent ones the smallest."""
    found = Counter(b - a for column in columns for a, b in pairwise(column) if b > a)
    return min(found, key=lambda each: (-found[each], each), default=otherwise)


def _months(time: datetime) -> int:
    return time.year * 12 + time.month - 1


def _is_month_end(time: datetime) -> bool:
    return time.day == calendar.monthrange(time.year, time.month)[1]


def _second_of_day(time: datetime) -> int:
    return time.hour * HOUR + time.minute * MINUTE + time.second
