"""Intervals are times: their start counts, and the log says so."""

from datetime import datetime, timedelta

import numpy as np
import pytest

from zoo.data.series.intervals import start_of_interval
from zoo.data.series.read import read_series
from zoo.data.series.recognition import has_series

START, HOUR = datetime(2024, 1, 1), timedelta(hours=1)
# The header, how an interval of an hour is written, and the label of the first time.
TABLES = {
    "ENTSO-E": ("MTU (CET/CEST)", "{0:%d.%m.%Y %H:%M} - {1:%d.%m.%Y %H:%M}", "2024-01-01 00:00:00"),
    "ENTSO-E with zones": (
        "MTU",
        "{0:%d/%m/%Y %H:%M:%S} (CET) - {1:%d/%m/%Y %H:%M:%S} (CET)",
        "2024-01-01 00:00:00+01:00",
    ),
    "ISO 8601": ("when", "{0:%Y-%m-%dT%H:%M}Z/{1:%Y-%m-%dT%H:%M}Z", "2024-01-01 00:00:00+00:00"),
    "basic ISO 8601": ("when", "{0:%Y%m%dT%H%M}/{1:%Y%m%dT%H%M}", "2024-01-01 00:00:00"),
    "a length": ("period", "{0:%Y-%m-%dT%H:%M}/PT1H", "2024-01-01 00:00:00"),
    "an end without day": ("Zeit", "{0:%d.%m.%Y %H:%M} bis {1:%H:%M}", "2024-01-01 00:00:00"),
    "a dash": ("Hour", "{0:%Y-%m-%d %H:%M}–{1:%H:%M}", "2024-01-01 00:00:00"),
    "times of day": ("period", "{0:%Y-%m-%d %H:%M}-{1:%H:%M}", "2024-01-01 00:00:00"),
    "PostgreSQL": (
        "during",
        '"[""{0:%Y-%m-%d %H:%M:%S}"",""{1:%Y-%m-%d %H:%M:%S}"")"',
        "2024-01-01 00:00:00",
    ),
    "pandas": ("", '"({0:%Y-%m-%d %H:%M:%S}, {1:%Y-%m-%d %H:%M:%S}]"', "2024-01-01 00:00:00"),
}


@pytest.mark.parametrize("name", TABLES)
def test_starts_of_intervals_are_the_times(tmp_path, name):
    header, written, first = TABLES[name]
    each = [written.format(START + n * HOUR, START + (n + 1) * HOUR) for n in range(60)]
    rows = "".join(f"{cell},{n / 2}\n" for n, cell in enumerate(each))
    (tmp_path / "a.csv").write_text(f"{header},price\n{rows}")
    actual = read_series(tmp_path / "a.csv")
    (series,) = actual.series
    assert actual.clock.label(series.start) == first
    assert (actual.clock.step, actual.targets) == (3600, ["price"])
    np.testing.assert_array_equal(series.values[:, 0], np.arange(60) / 2)
    assert "(the starts of intervals)" in actual.note
    assert has_series(tmp_path / "a.csv")


@pytest.mark.parametrize("written", ["{0}/{1:02}", "{0}-{1:02}", "{0}-{2}", "{0}/{2}"])
def test_seasons_are_years(tmp_path, written):
    each = [written.format(n, (n + 1) % 100, n + 1) for n in range(1985, 2015)]
    rows = "".join(f"{cell},{n}\n" for n, cell in enumerate(each))
    (tmp_path / "a.csv").write_text(f"Season,goals\n{rows}")
    actual = read_series(tmp_path / "a.csv")
    (series,) = actual.series
    assert (actual.clock.label(series.start), actual.clock.step, len(series)) == ("1985", 1, 30)
    assert has_series(tmp_path / "a.csv")


def test_offsets_are_no_ends_and_months_no_seasons(tmp_path):
    zoned = [f"{START + n * HOUR:%Y-%m-%d %H:%M}-05:00" for n in range(24)]
    months = [f"20{n // 12:02}-{n % 12 + 1:02}" for n in range(24)]
    for cells, first in ((zoned, "2024-01-01 00:00:00-05:00"), (months, "2000-01-01")):
        rows = "".join(f"{cell},{n}\n" for n, cell in enumerate(cells))
        (tmp_path / "a.csv").write_text(f"time,price\n{rows}")
        actual = read_series(tmp_path / "a.csv")
        assert actual.clock.label(actual.series[0].start) == first


@pytest.mark.parametrize(
    "cell",
    ["2024-01-31", "31.01.2024 12:00", "2019 - 2020", "2024-01-31 - of the year", "1 - 2", "[1, 2)"]
    + ["01/02/2024", "a fine film - 2024-01-31", "2024-01", "2024-01-31/a", "Rome - Oslo"],
)
def test_other_cells_are_no_intervals(cell):
    assert start_of_interval(cell) is None


def test_a_row_that_is_no_interval_is_bad(tmp_path):
    rows = [f"2024-01-{n:02}/2024-01-{n + 1:02},{n}" for n in range(1, 25)] + ["soon,25"]
    (tmp_path / "a.csv").write_text("\n".join(["day,price", *rows]))
    with pytest.raises(ValueError, match="a.csv:26: day: expected times like '2024-01-01'"):
        read_series(tmp_path / "a.csv")
