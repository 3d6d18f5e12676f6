"""Clocks of series: how far times are apart, seasons, and the times that follow."""

import pytest

from zoo.data.series.clock import Clock, is_date, parse


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
         "2024-01-01 23:02:00"),
        (["1700.0", "1701.0"], "numbered steps", 1, "1702"),
        (["2024-01-01"], "every day", 7, "2024-01-02"),
        (["2024-01-31", "2024-02-01", "2024-02-05"], "every day", 7, "2024-02-06"),
    ],
)  # fmt: skip
def test_clocks(times, words, season, following):
    parsed = [parse(each) for each in times]
    clock = Clock.of([parsed])
    assert (str(clock), clock.season) == (words, season)
    assert clock.label(clock.count(parsed[-1]) + clock.step) == following
    assert Clock(**clock.facts()) == clock


@pytest.mark.parametrize("cell", ["", "soon", "1.5", "2024-02-30", "inf", "nan"])
def test_no_times(cell):
    assert not is_date(cell)
    with pytest.raises((ValueError, OverflowError)):
        parse(cell)
