"""Days of months on which times are: by their number, or the last or first of a kind."""

import calendar
from collections.abc import Sequence
from datetime import date, datetime

LAST_DAY, LAST_BUSINESS, FIRST_BUSINESS = 0, -1, -2  # days of months that have no number


def months_of(time: date) -> int:
    """The number of a month.

    Example:
        >>> months_of(date(2024, 3, 31)) - months_of(date(2023, 12, 1))
        3
    """
    return time.year * 12 + time.month - 1


def day_of_month(times: Sequence[datetime]) -> int | None:
    """The day on which times of several months are; None if it is another in each.

    Example:
        >>> day_of_month([datetime(2024, 1, 15), datetime(2024, 2, 15)])
        15
    """
    dates = {time.date() for time in times}
    months = {months_of(each) for each in dates}
    if len(months) < 2:
        return None
    latest = max(each.day for each in dates)
    known = [LAST_DAY, latest]
    if len(months) == len(dates) > 2:
        known += [LAST_BUSINESS, FIRST_BUSINESS]
    fitting = (x for x in known if all(date_of(d.year, d.month, x) == d for d in dates))
    return next(fitting, None)


def date_of(year: int, month: int, day: int) -> date:
    """The date of a day in a month; see `Clock.day`.

    Example:
        >>> date_of(2024, 2, LAST_DAY), date_of(2024, 6, FIRST_BUSINESS)
        (datetime.date(2024, 2, 29), datetime.date(2024, 6, 3))
    """
    last = calendar.monthrange(year, month)[1]
    if day >= LAST_DAY:
        return date(year, month, min(day or last, last))
    days = [date(year, month, each) for each in (*range(1, 8), *range(last - 6, last + 1))]
    business = [each for each in days if each.weekday() < 5]
    return business[-1 if day == LAST_BUSINESS else 0]
