"""The clock of a time series: how far its times are apart, and the times that come next."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, date, datetime, timedelta, timezone, tzinfo
from itertools import pairwise
from typing import Any, Self
from zoneinfo import ZoneInfo

from zoo.data.series.month_days import date_of, day_of_month, months_of

STEP, SECOND, BUSINESS, MONTH = "step", "second", "business day", "month"
MICROSECOND = "microsecond"
SMALLEST = timedelta(microseconds=1)
MINUTE, HOUR, DAY, WEEK = 60, 3600, 86_400, 604_800
QUARTERS, HALVES, WEEKS = "quarter", "half", "week"  # styles of labels
SIZES = {"week": WEEK, "day": DAY, "hour": HOUR, "minute": MINUTE, "second": 1}
PARTS = {"millisecond": 1000, "microsecond": 1}  # of a second, in microseconds
EPOCH = datetime(1970, 1, 1)
MONDAY = date(1970, 1, 5).toordinal()
LONGEST_SEASON = 300  # in steps, of seasons that are chosen by default


@dataclass(frozen=True)
class Clock:
    """A regular sequence of times: counted in steps, microseconds, seconds, business days, months.

    Times are those of a clock on the wall, also where that changes to summer time: days are at the
    same hour of the day. Only times less than a day apart are counted by their distance.

    Args:
        unit: "step" for numbers, "second" for dates, "microsecond" for those less than a second
            apart, "business day" for days without weekends, "month" for dates of months.
        step: Number of units between two times.
        day: Day of the month of dates that are months apart, or the last one of a shorter month; 0
            for the last day, -1 and -2 for the last and the first one from Monday to Friday.
        second: Time of the day of business days, and of dates that are months apart, in seconds.
        style: "quarter", "half" or "week" if times are written as `2024Q1`, `2024H1` or `2024-W05`.
        zone: The zone that times are written with: an offset such as "+02:00", or a name such as
            "Europe/Berlin"; empty without one.

    Example:
        >>> clock = Clock.of([[datetime(2024, 1, 31), datetime(2024, 2, 29)]])
        >>> clock.label(clock.count(datetime(2024, 2, 29)) + 1), clock.season
        ('2024-03-31', 12)
    """

    unit: str = STEP
    step: int = 1
    day: int = 0
    second: int = 0
    style: str = ""
    zone: str = ""

    @classmethod
    def of(
        cls, columns: Iterable[Sequence[Any]], style: str = "", known: "Clock | None" = None
    ) -> Self:
        """The clock of the times of one or several series.

        Args:
            columns: The times of each series in order: whole numbers, or dates.
            style: How times are written that are no days.
            known: The clock of a model, which is that of the series if it fits their times.
        """
        columns = list(columns)
        every = [time for column in columns for time in column]
        if not every or not isinstance(every[0], datetime):
            numbers = cls(STEP, _usual_difference(columns, 1))
            return cls(**known.facts()) if known and known._fits(columns) else numbers
        zone = _zone_of(every)
        if known and (own := replace(known, zone=zone, style=style))._fits(columns):
            return cls(**own.facts())
        if any(time.microsecond for time in every):
            fine = cls(MICROSECOND, zone=zone)._stepping(columns)._of_instants(every, columns)
            if fine.step < 1_000_000:
                return fine
        seconds, day = {_second_of_day(time) for time in every}, day_of_month(every)
        if len(seconds) == 1 and day is not None:
            return cls(MONTH, 1, day, seconds.pop(), style, zone)._stepping(columns)
        business = _is_business(columns) and len(seconds) == 1
        days = cls(BUSINESS, 1, 0, seconds.pop()) if business else cls(SECOND, DAY)
        clock = replace(days, style=style, zone=zone)
        return clock if business else clock._stepping(columns)._of_instants(every, columns)

    def _stepping(self, columns: Sequence[Sequence[Any]]) -> Self:
        """The same with the usual step of series."""
        counts = [[self.count(time) for time in column] for column in columns]
        return replace(self, step=_usual_difference(counts, self.step))

    def _of_instants(self, every: Sequence[datetime], columns: Sequence[Sequence[Any]]) -> Self:
        """The same for times of several offsets: if less than a day apart, in the last one."""
        if self.zone or every[0].tzinfo is None or not self._is_short:
            return self
        zone = _offset_text(max(every))
        return replace(self, zone=zone)._stepping(columns)

    def _fits(self, columns: Sequence[Sequence[Any]]) -> bool:
        """Whether this clock has the times of series."""
        dates = {isinstance(time, datetime) for column in columns for time in column}
        if dates != {self.unit != STEP}:
            return False
        for column in columns:
            counts = [self.count(time) for time in column]
            if any((count - counts[0]) % self.step for count in counts):
                return False
            pairs = zip(column, counts, strict=True)
            if self.unit != STEP and any(self._time(count) != self._own(x) for x, count in pairs):
                return False
        return True

    @property
    def _is_short(self) -> bool:
        """Whether times are less than a day apart, or no days."""
        return self.unit == MICROSECOND or (self.unit == SECOND and self.step % DAY != 0)

    @property
    def _counts_instants(self) -> bool:
        return self._is_short and bool(self.zone)

    def _own(self, time: datetime) -> datetime:
        """A time as it is counted, without its zone."""
        if self._counts_instants and time.tzinfo:
            time = time.astimezone(UTC)
        time = time.replace(tzinfo=None)
        return time if self.unit == MICROSECOND else time.replace(microsecond=0)

    def count(self, time: Any) -> int:
        """A time as a number of units."""
        if self.unit == STEP:
            number: int = time
            return number
        if self.unit == MONTH:
            return months_of(time)
        if self.unit == BUSINESS:
            weeks, weekday = divmod(time.toordinal() - MONDAY, 7)
            return 5 * weeks + min(weekday, 5)
        since = self._own(time) - EPOCH
        return since // SMALLEST if self.unit == MICROSECOND else int(since.total_seconds())

    def _time(self, count: int) -> datetime:
        """The time after a number of units, as it is counted."""
        if self.unit == SECOND:
            return EPOCH + timedelta(seconds=count)
        if self.unit == MICROSECOND:
            return EPOCH + count * SMALLEST
        if self.unit == BUSINESS:
            day = date.fromordinal(MONDAY + count // 5 * 7 + count % 5)
        else:
            day = date_of(count // 12, count % 12 + 1, self.day)
        return datetime(day.year, day.month, day.day) + timedelta(seconds=self.second)

    def label(self, count: int) -> str:
        """The time after a number of units, as text."""
        if self.unit == STEP:
            return str(count)
        time = self._time(count)
        if self.style == QUARTERS:
            return f"{time.year}Q{(time.month + 2) // 3}"
        if self.style == HALVES:
            return f"{time.year}H{(time.month + 5) // 6}"
        if self.style == WEEKS:
            year, week, _ = time.isocalendar()
            return f"{year}-W{week:02}"
        if self._counts_instants:
            time = time.replace(tzinfo=UTC).astimezone(_zone(self.zone))
        if self.unit == MICROSECOND:
            return time.isoformat(" ", "microseconds" if self.step % 1000 else "milliseconds")
        if self._counts_instants:
            return str(time)
        if self.zone:
            return str(time.replace(tzinfo=_zone(self.zone)))
        by_day = self.unit != SECOND or self.step % DAY == 0
        return str(time.date() if by_day and not _second_of_day(time) else time)

    @property
    def season(self) -> int:
        """The usual number of steps after which times repeat: a year, a week or a day; else 1."""
        if self.unit == MONTH:
            return 12 // self.step if 12 % self.step == 0 else 1
        if self.unit == BUSINESS:
            return 5 if self.step == 1 else 1
        if self.unit in (STEP, MICROSECOND):
            return 1
        known = {WEEK: 52, DAY: 7}
        spans = [span for span in (DAY, HOUR, MINUTE) if span % self.step == 0]
        fitting = [span // self.step for span in spans if 1 < span // self.step <= LONGEST_SEASON]
        return known.get(self.step, fitting[0] if fitting else 1)

    def __str__(self) -> str:
        if self.unit == STEP:
            return "numbered steps"
        spans = {SECOND: SIZES, MICROSECOND: PARTS}.get(self.unit, {self.unit: 1})
        name, size = next((name, size) for name, size in spans.items() if self.step % size == 0)
        count = self.step // size
        return f"every {name}" if count == 1 else f"every {count} {name}s"

    def facts(self) -> dict[str, Any]:
        """The arguments, as JSON types."""
        return asdict(self)


def _zone_of(times: Sequence[datetime]) -> str:
    """The zone of times that have one and the same; else empty."""
    zones = {time.tzinfo for time in times}
    zone = zones.pop()
    if zones or zone is None:
        return ""
    return zone.key if isinstance(zone, ZoneInfo) else _offset_text(times[0])


def _offset_text(time: datetime) -> str:
    return time.isoformat()[-6:]


def _zone(text: str) -> tzinfo:
    """The zone of a clock."""
    if text[0] not in "+-":
        return ZoneInfo(text)
    offset = timedelta(hours=int(text[1:3]), minutes=int(text[4:6]))
    return timezone(-offset if text[0] == "-" else offset)


def _usual_difference(columns: Iterable[Sequence[int]], otherwise: int) -> int:
    """The most frequent distance of consecutive times, of equally frequent ones the smallest."""
    differences = Counter(b - a for column in columns for a, b in pairwise(column) if b > a)
    return min(differences, key=lambda each: (-differences[each], each), default=otherwise)


def _is_business(columns: Iterable[Sequence[datetime]]) -> bool:
    """Whether times are daily, and leave out every weekend, of which there are two or more."""
    dates = [sorted({time.date() for time in column}) for column in columns]
    days = {day for column in dates for day in column}
    if any(day.weekday() > 4 for day in days):
        return False
    gaps = Counter(b - a for column in dates for a, b in pairwise(column))
    weeks = {(day.toordinal() - MONDAY) // 7 for day in days}
    return len(weeks) > 2 and bool(gaps) and gaps.most_common(1)[0][0] == timedelta(1)


def _second_of_day(time: datetime) -> int:
    return time.hour * HOUR + time.minute * MINUTE + time.second
