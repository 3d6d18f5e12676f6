"""Clocks of series: how far times are apart, seasons, and the times that follow."""

from datetime import date, timedelta

import pytest

from zoo.data.series.clock import Clock
from zoo.data.series.dates import read_times

WEEKDAYS = [
    str(day)
    for day in (date(2024, 1, 1) + timedelta(each) for each in range(19))
    if day.weekday() < 5
]
BERLIN = "Europe/Berlin"


@pytest.mark.parametrize(
    ("times", "words", "season", "following"),
    [
        (["2024-01", "2024-02", "2024-04"], "every month", 12, "2024-05-01"),
        (["2023-12-31", "2024-01-31", "2024-02-29"], "every month", 12, "2024-03-31"),
        (["2024-01-15", "2024-04-15"], "every 3 months", 4, "2024-07-15"),
        (["2023-02-28", "2024-02-29"], "every 12 months", 1, "2025-02-28"),
        (["2024-01-01", "2024-01-08"], "every week", 52, "2024-01-15"),
        (["2024-02-28", "2024-02-29"], "every day", 7, "2024-03-01"),
        (["2024-01-01 22:30", "2024-01-01 23:00"], "every 30 minutes", 48, "2024-01-01 23:30:00"),
        (["2024-01-01T23:00:00Z", "2024-01-01T23:01:00Z"], "every minute", 60,
         "2024-01-01 23:02:00+00:00"),
        (["2024-01-01 00:00:00.000", "2024-01-01 00:00:00.100"], "every 100 milliseconds", 1,
         "2024-01-01 00:00:00.200"),
        (["2024-01-01T23:59:59.000250Z", "2024-01-01T23:59:59.000500Z"], "every 250 microseconds",
         1, "2024-01-01 23:59:59.000750+00:00"),
        (["1704067200.02", "1704067200.04"], "every 20 milliseconds", 1,
         "2024-01-01 00:00:00.060"),
        (["2024-01-01 10:00:00.123", "2024-01-01 11:00:00.123"], "every hour", 24,
         "2024-01-01 12:00:00"),
        (["1700.0", "1701.0"], "numbered steps", 1, "1702"),
        (["2024-01-01"], "every day", 7, "2024-01-02"),
        (["2024-01-31", "2024-02-01", "2024-02-05"], "every day", 7, "2024-02-06"),
        # The last day of business, and the 30th or the last day of a shorter month.
        (["2024-01-31", "2024-02-29", "2024-03-29"], "every month", 12, "2024-04-30"),
        (["2024-05-01", "2024-06-03", "2024-07-01"], "every month", 12, "2024-08-01"),
        (["2024-01-30", "2024-02-29", "2024-03-30"], "every month", 12, "2024-04-30"),
        (WEEKDAYS, "every business day", 5, "2024-01-22"),
        (WEEKDAYS[:2] + WEEKDAYS[3:], "every business day", 5, "2024-01-22"),  # a holiday
        (["2024Q3", "2024Q4"], "every 3 months", 4, "2025Q1"),
        (["Q3 2024", "Q4 2024"], "every 3 months", 4, "2025Q1"),
        (["2024-W51", "2024-W52"], "every week", 52, "2025-W01"),
        # Zones: midnight stays midnight, also across a change of clocks.
        (["2024-01-01 00:00+02:00", "2024-01-02 00:00+02:00"], "every day", 7,
         "2024-01-03 00:00:00+02:00"),
        (["2024-10-26 00:00+02:00", "2024-10-27 00:00+02:00", "2024-10-28 00:00+01:00"],
         "every day", 7, "2024-10-29"),
        (["2020-03-01 00:00+01:00", "2020-04-01 00:00+02:00"], "every month", 12, "2020-05-01"),
        ([f"2024-10-{day} 00:00 {BERLIN}" for day in (25, 26, 27)], "every day", 7,
         "2024-10-28 00:00:00+01:00"),
        (["2024-10-27 01:00+02:00", "2024-10-27 02:00+02:00", "2024-10-27 02:00+01:00"],
         "every hour", 24, "2024-10-27 03:00:00+01:00"),
        (["1704067200000", "1704070800000"], "every hour", 24, "2024-01-01 02:00:00"),
        (["20240228", "20240229"], "every day", 7, "2024-03-01"),
    ],
)  # fmt: skip
def test_clocks(times, words, season, following):
    actual = read_times(times)
    clock = Clock.of([actual.values], actual.style)
    assert (str(clock), clock.season) == (words, season)
    assert clock.label(clock.count(actual.values[-1]) + clock.step) == following
    assert Clock(**clock.facts()) == clock


def test_the_clock_of_a_model_is_that_of_a_few_rows():
    business, months = (
        Clock.of([read_times(each).values]) for each in (WEEKDAYS, ["2024-01-31", "2024-02-29"])
    )
    row = read_times(["2024-03-28"]).values
    assert str(Clock.of([row])) == "every day"
    assert Clock.of([row], known=business) == business
    assert str(Clock.of([row], known=months)) == "every day"  # it is no end of a month
    assert Clock.of([read_times(["2024-03-31"]).values], known=months) == months
    assert Clock.of([[17]], known=business) == Clock()
