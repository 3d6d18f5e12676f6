"""Numbers of days, as spreadsheets and astronomers count them, and decimal years are dates."""

from datetime import datetime, timedelta

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from zoo.data.series.read import read_series
from zoo.data.series.recognition import has_series
from zoo.errors import UserError

ONE = timedelta(days=1)
DAYS = [datetime(2024, 1, 1) + n * timedelta(days=1) for n in range(40)]
LATER = [datetime(2026, 2, 1) + n * timedelta(days=1) for n in range(40)]
HOURS = [datetime(2024, 1, 1, 5) + n * timedelta(hours=1) for n in range(40)]
MONTHS = [datetime(1958 + (2 + n) // 12, (2 + n) % 12 + 1, 1) for n in range(40)]
QUARTERS = [datetime(1960 + n // 4, n % 4 * 3 + 1, 1) for n in range(40)]


def since(start):
    return lambda time: (time - start) / ONE


def year_of(time):
    return time.year + (time.month - 1) / 12


EXCEL = since(datetime(1899, 12, 30))
# The name of the column, its cells, the times, and what the log calls them.
TABLES = {
    "Excel": ("Date", lambda x: f"{EXCEL(x):.0f}", DAYS, "days as Excel counts them"),
    "Excel with hours": ("Datum", lambda x: f"{EXCEL(x):.5f}", HOURS, "days as Excel counts them"),
    "Excel as floats": ("Order Date", lambda x: f"{EXCEL(x):.1f}", DAYS, "days as Excel"),
    "R": ("date", lambda x: f"{EXCEL(x) - 25_569:.0f}", DAYS, "days since 1970"),
    "Parquet": ("Datum", lambda x: f"{EXCEL(x) - 25_569:.0f}", LATER, "days since 1970"),
    "MATLAB": ("datenum", lambda x: f"{EXCEL(x) + 693_960:.6f}", HOURS, "days as MATLAB"),
    "astronomers": ("JD date", lambda x: f"{EXCEL(x) + 2_415_018.5:.4f}", DAYS, "Julian days"),
    "spacecraft": ("MJD date", lambda x: f"{EXCEL(x) + 15_018:.4f}", DAYS, "modified Julian days"),
    "R's years": ("time", lambda x: f"{year_of(x):.6f}", MONTHS, "decimal years"),
    "Mauna Loa": ("decimal date", lambda x: f"{year_of(x) + 0.0417:.4f}", MONTHS, "decimal years"),
    "quarters": ("year", lambda x: f"{year_of(x):.2f}", QUARTERS, "decimal years"),
}
NAMED = ("JD date", "decimal date", "MJD date")  # which are not usual


def table(name):
    column, cell, times, _ = TABLES[name]
    return f"{column},y\n" + "".join(f"{cell(time)},{n}\n" for n, time in enumerate(times))


@pytest.mark.parametrize("name", TABLES)
def test_numbers_of_days(tmp_path, name):
    column, _, times, what = TABLES[name]
    (tmp_path / "a.csv").write_text(table(name))
    assert has_series(tmp_path / "a.csv")
    actual = read_series(tmp_path / "a.csv")
    (series,), clock = actual.series, actual.clock
    labels = [clock.label(series.start + n * clock.step) for n in (0, 39)]
    assert f"time = {column} ({what}" in actual.note
    if name == "quarters":
        assert labels == ["1960Q1", "1969Q4"]
        return
    shown = 10 if times is not HOURS else 19
    assert labels == [str(time)[:shown] for time in (times[0], times[-1])]
    assert len(series) == 40


WRITTEN = {
    "days since 1970": lambda day: (day - datetime(1970, 1, 1)).days,
    "20240115": lambda day: int(f"{day:%Y%m%d}"),
    "1022024": lambda day: int(f"{day:%d%m%Y}"),
    "2012024": lambda day: int(f"{day:%m%d%Y}"),
    "10224": lambda day: int(f"{day:%d%m%y}"),
    "milliseconds": lambda day: (day - datetime(1970, 1, 1)).days * 86_400_000,
}


@pytest.mark.parametrize("kind", ["int32", "int64", "double"])
@pytest.mark.parametrize("name", WRITTEN)
def test_days_in_columns_of_numbers(tmp_path, name, kind):
    """Of Parquet, and without the first zero that numbers lose."""
    if name == "milliseconds" and kind == "int32":
        kind = "int64"
    cells = pa.array([WRITTEN[name](day) for day in DAYS]).cast(kind)
    pq.write_table(pa.table({"date": cells, "y": np.arange(40.0)}), tmp_path / "a.parquet")
    actual = read_series(tmp_path / "a.parquet")
    (series,), clock = actual.series, actual.clock
    assert clock.label(series.start) == "2024-01-01" and len(series) == 40
    assert clock.label(series.start + 39 * clock.step) == "2024-02-09"


def test_a_year_that_lost_its_zero(tmp_path):
    """Of days as year, month and day of two digits, such as 70131."""
    rows = "".join(f"{int(f'{time:%y%m%d}') - 17 * 10_000},{n}\n" for n, time in enumerate(DAYS))
    assert rows.startswith("70101,")
    (tmp_path / "a.csv").write_text(f"date,y\n{rows}")
    actual = read_series(tmp_path / "a.csv")
    assert actual.clock.label(actual.series[0].start) == "2007-01-01"
    assert len(actual.series[0]) == 40


def test_days_of_the_year(tmp_path):
    rows = "".join(f"{time:%Y%j},{n}\n" for n, time in enumerate(DAYS))
    (tmp_path / "a.csv").write_text(f"date,y\n{rows}")
    actual = read_series(tmp_path / "a.csv")
    assert actual.clock.label(actual.series[0].start + 39 * actual.clock.step) == "2024-02-09"
    (tmp_path / "b.csv").write_text("date,y\n2024-365,1\n2024-366,2\n2025-001,3\n")
    assert len(read_series(tmp_path / "b.csv").series[0]) == 3
    (tmp_path / "c.csv").write_text("date,y\n2023-365,1\n2023-366,2\n")
    with pytest.raises(UserError, match="c.csv:3: date: expected"):
        read_series(tmp_path / "c.csv")


@pytest.mark.parametrize("name", ["step", "time", "period"])
def test_steps_stay_numbers(tmp_path, name):
    rows = "".join(f"{45292 + n},{n}\n" for n in range(40))
    (tmp_path / "a.csv").write_text(f"{name},y\n{rows}")
    actual = read_series(tmp_path / "a.csv")
    assert actual.clock.label(actual.series[0].start) == "45292"
    assert has_series(tmp_path / "a.csv")
