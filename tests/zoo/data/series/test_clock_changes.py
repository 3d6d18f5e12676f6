"""Times on the wall without a zone, across the hour that comes twice when clocks are put back."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import numpy as np
import pytest

from zoo.data.inspection import inspect
from zoo.data.series.read import read_series
from zoo.data.series.reading import ReadingOptions
from zoo.errors import DataError

# A zone, and a start in UTC some days before its clocks are put back.
CHANGES = {
    "Europe/Berlin": datetime(2024, 10, 23, 22),
    "Europe/London": datetime(2023, 10, 25, 23),
    "America/New_York": datetime(2024, 10, 31, 4),
    "Australia/Sydney": datetime(2024, 4, 3, 13),
    "America/Santiago": datetime(2024, 4, 4, 3),
    "Pacific/Auckland": datetime(2025, 4, 2, 11),
}
FORMS = {"ISO": "%Y-%m-%d %H:%M", "German": "%d.%m.%Y %H:%M", "American": "%m/%d/%Y %I:%M %p"}


def wall_times(zone, start, minutes, days=7):
    """The times on the wall, whose offsets nobody wrote."""
    rows = [start.replace(tzinfo=UTC) + timedelta(minutes=minutes * n)
            for n in range(days * 1440 // minutes)]  # fmt: skip
    return [row.astimezone(ZoneInfo(zone)).replace(tzinfo=None) for row in rows]


def averaged(times, values, minutes):
    """By the formula: the mean of the rows of each time on the wall, missing without a row."""
    rows = {}
    for time, value in zip(times, values, strict=True):
        rows.setdefault(time, []).append(value)
    count = int((max(times) - min(times)) / timedelta(minutes=minutes)) + 1
    grid = [min(times) + timedelta(minutes=minutes * n) for n in range(count)]
    return np.array([np.mean(rows[time]) if time in rows else np.nan for time in grid])


def write(path, times, values, form="%Y-%m-%d %H:%M", head="time,price"):
    rows = zip(times, values, strict=True)
    path.write_text(f"{head}\n" + "".join(f"{time:{form}},{value}\n" for time, value in rows))


@pytest.mark.quick(4)
@pytest.mark.parametrize("zone", CHANGES)
@pytest.mark.parametrize("minutes", [5, 15, 30, 60])
@pytest.mark.parametrize("order", ["as it was", "newest first", "sorted"])
def test_the_hour_that_comes_twice_is_averaged(tmp_path, zone, minutes, order):
    times = wall_times(zone, CHANGES[zone], minutes)
    values = np.random.default_rng(3).integers(1, 90, len(times)).tolist()
    rows = [*zip(times, values, strict=True)]
    rows = {"as it was": rows, "newest first": rows[::-1], "sorted": sorted(rows)}[order]
    write(tmp_path / "a.csv", *zip(*rows, strict=True))
    actual = read_series(tmp_path / "a.csv")
    expected = averaged(times, values, minutes)
    assert len(expected) == len(times) - 60 // minutes
    np.testing.assert_allclose(actual.series[0].values[:, 0], expected, rtol=1e-6)
    many = 60 // minutes
    noun = "row" if many == 1 else "rows"
    assert f"{many} {noun} of the hour that comes twice as clocks are put back" in str(actual)
    assert actual.clock.label(actual.series[0].start) == str(min(times))
    assert inspect(tmp_path / "a.csv").task == "series-forecaster"


@pytest.mark.quick(4)
@pytest.mark.parametrize("form", FORMS)
def test_two_years_have_a_gap_and_an_hour_twice_each(tmp_path, form):
    times = wall_times("Europe/Berlin", datetime(2023, 2, 28, 23), 60, 730)
    values = [*range(len(times))]
    write(tmp_path / "a.csv", times, values, FORMS[form])
    actual = read_series(tmp_path / "a.csv", ReadingOptions().with_names(target="price"))
    expected = averaged(times, values, 60)
    np.testing.assert_allclose(actual.series[0].values[:, 0], expected, rtol=1e-6)
    assert np.isnan(expected).sum() == 2 and "2 rows of the hour" in str(actual)


@pytest.mark.parametrize("grouped", [True, False])
def test_several_series_in_a_file(tmp_path, grouped):
    """The command that `inspect` gives has the column of series."""
    times = wall_times("Europe/Berlin", CHANGES["Europe/Berlin"], 60)
    rows = [(area, n, time) for area in ("DE", "FR") for n, time in enumerate(times)]
    rows = rows if grouped else sorted(rows, key=lambda row: row[1])
    lines = [f"{area},{time:%Y-%m-%d %H:%M},{n + 500 * (area == 'FR')}" for area, n, time in rows]
    (tmp_path / "a.csv").write_text("area,time,price\n" + "\n".join(lines))
    (fit,) = inspect(tmp_path / "a.csv").fits
    assert (fit.task, fit.options) == ("series-forecaster", {"series_column": "area"})
    actual = read_series(tmp_path / "a.csv", ReadingOptions.of(fit.options))
    assert [each.name for each in actual.series] == ["DE", "FR"]
    expected = averaged(times, [*range(len(times))], 60)
    for offset, each in zip((0, 500), actual.series, strict=True):
        np.testing.assert_allclose(each.values[:, 0], expected + offset, rtol=1e-6)


def test_intervals_of_a_market(tmp_path):
    times = wall_times("Europe/Berlin", CHANGES["Europe/Berlin"], 60)
    cells = [f"{x:%d.%m.%Y %H:%M} - {x + timedelta(hours=1):%d.%m.%Y %H:%M}" for x in times]
    lines = [f'"{cell}","{n}.5","EUR"' for n, cell in enumerate(cells)]
    head = '"MTU (CET/CEST)","Day-ahead Price [EUR/MWh]","Currency"'
    (tmp_path / "a.csv").write_text("\n".join([head, *lines]))
    actual = read_series(tmp_path / "a.csv")
    expected = averaged(times, [n + 0.5 for n in range(len(times))], 60)
    np.testing.assert_allclose(actual.series[0].values[:, 0], expected, rtol=1e-6)


@pytest.mark.parametrize(
    ("how", "value"), [("sum", 2 * 76 + 1), ("mean", 76.5), ("last", 77), ("error", 76.5)]
)
def test_what_is_said_of_repeated_times_is_done(tmp_path, how, value):
    times = wall_times("Europe/Berlin", CHANGES["Europe/Berlin"], 60)
    assert times[74] == times[75]
    write(tmp_path / "a.csv", times, [n + 2 for n in range(len(times))])
    actual = read_series(tmp_path / "a.csv", ReadingOptions(duplicates=how))
    assert actual.series[0].values[74, 0] == value


def at(day, *hours, month=10):
    return [datetime(2024, month, day, hour) for hour in hours]


@pytest.mark.parametrize(
    "times",
    [
        at(28, *range(5), 2, *range(5, 24)),  # a Monday
        at(27, *range(15), 14, *range(15, 24)),  # by day
        at(27, 0, 1, 2, 2, 2, *range(3, 24)),  # three times
        at(27, 0, 1, 2, 2, 3, 3, *range(4, 24)),  # two hours
        at(27, 0, 1, 2, 2, *range(3, 24)) + at(3, 0, 1, 2, 2, 3, month=11),  # a week later again
        at(21, 0, 1, 2, 2, *range(3, 24), month=7),  # in summer
        at(27, 0, 1, 2, 2, 4, 3, *range(5, 24)),  # and a time out of order
    ],
)
def test_other_times_that_repeat_are_refused(tmp_path, times):
    write(tmp_path / "a.csv", times, range(len(times)))
    with pytest.raises(DataError, match="has the time .* too; name the column of series with"):
        read_series(tmp_path / "a.csv")


def test_one_of_many_times_twice_is_no_change_of_clocks(tmp_path):
    times = [datetime(2024, 10, 27) + timedelta(minutes=5 * n) for n in range(99)]
    times.insert(25, times[24])  # 02:00
    write(tmp_path / "a.csv", times, range(len(times)))
    with pytest.raises(DataError, match="has the time 2024-10-27 02:00:00 in line 26, too"):
        read_series(tmp_path / "a.csv")


def test_days_that_come_twice_are_refused(tmp_path):
    days = [datetime(2024, 10, 1) + timedelta(days=n) for n in range(40)]
    days.insert(26, days[26])  # the Sunday on which clocks are put back
    write(tmp_path / "a.csv", days, range(len(days)), "%Y-%m-%d")
    with pytest.raises(DataError, match="has the time 2024-10-27 in line 28, too"):
        read_series(tmp_path / "a.csv")


def test_values_are_no_names_of_series(tmp_path):
    """They repeat, too, and with them each time is there once."""
    times = wall_times("Europe/Berlin", CHANGES["Europe/Berlin"], 60)
    times.insert(9, times[8])
    write(tmp_path / "a.csv", times, [f"{n % 7}.5" for n in range(len(times))])
    with pytest.raises(DataError) as caught:
        read_series(tmp_path / "a.csv")
    assert "--series-column, or choose --duplicates" in str(caught.value)
    assert "--series-column, or" in inspect(tmp_path / "a.csv").understood
