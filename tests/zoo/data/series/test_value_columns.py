"""Typed columns of series, and texts that are read as a whole: like those read cell by cell."""

from datetime import UTC, date, datetime, timedelta

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

from zoo.data.readers.numbers import read_numbers
from zoo.data.series.dates import read_times
from zoo.data.series.read import read_series
from zoo.data.series.reading import ReadingOptions
from zoo.data.series.value_columns import has_dates, has_numbers, numbers_of, times_of
from zoo.errors import DataError

DAYS = [date(2024, 1, 30) + timedelta(days=day) for day in range(4)]
STAMPS = [datetime(2024, 1, 31, hour, 30) for hour in range(4)]


def column(cells, kind=None):
    return pa.chunked_array([pa.array(cells, kind)])


@pytest.mark.parametrize(
    "cells",
    [
        ["2024-01-31", "", "2024-02-29"],
        ["2024-01-31 12:00", "2024-01-31T12:00:59", " 2024-02-01 "],
        ["2024-01-31", "2024-02-30"],
        ["2024-01-31 24:00", "2024-02-01 00:00"],
        ["2024-01-31T12:00:00Z", "2024-01-31T13:00:00+02:00"],
        ["2024-01-31 12", "2024-01-31 13:00:00.5"],
        ["20240131", "20240201"],
        ["2024-W05-1", "2024-W06-1"],
        ["31.01.2024", "01.02.2024"],
        ["", " "],
    ],
)
def test_texts_are_the_same_times_as_cell_by_cell(cells):
    whole, single = times_of(column(cells, pa.string())), read_times(cells)
    assert (whole.values, whole.format) == (single.values, single.format)


@pytest.mark.parametrize(
    "cells",
    [["1", "2.5", ""], ["1e400", "2"], ["nan", "-nan"], ["1,5", "2"], ["+5", "1_000"], ["1e17"]],
)
def test_texts_are_the_same_numbers_as_cell_by_cell(cells):
    bad, other = {}, {}
    actual = numbers_of("y", column(cells), bad)
    np.testing.assert_array_equal(actual, read_numbers("y", cells, other))
    assert bad == other


@pytest.mark.parametrize(
    ("times", "kind", "expected"),
    [
        (DAYS, pa.date32(), [datetime(x.year, x.month, x.day) for x in DAYS]),
        (STAMPS, pa.timestamp("ns"), STAMPS),
        (STAMPS, pa.timestamp("ms", "UTC"), [x.replace(tzinfo=UTC) for x in STAMPS]),
    ],
)
def test_times_of_typed_columns(times, kind, expected):
    typed = column([*times, None], kind)
    assert has_dates(typed) and times_of(typed, "%d.%m.%Y").values == [*expected, None]


def test_nanoseconds_are_left_out():
    typed = column([1_706_700_600_000_000_001], pa.int64()).cast(pa.timestamp("ns"))
    assert times_of(typed).values == [datetime(2024, 1, 31, 11, 30)]


def test_a_parquet_table_of_series(tmp_path):
    sales = pa.array([1.25, None, 3, 4], pa.float32())
    names = {"day": pa.array(DAYS), "sales": sales, "open": pa.array([True, False, None, True])}
    pa.parquet.write_table(pa.table(names), tmp_path / "a.parquet")
    actual = read_series(tmp_path / "a.parquet")
    assert (
        actual.targets == ["sales"] and actual.clock.label(actual.series[0].start) == "2024-01-30"
    )
    np.testing.assert_array_equal(actual.series[0].values.ravel(), [1.25, np.nan, 3, 4])
    known = read_series(tmp_path / "a.parquet", ReadingOptions().with_names(known="open")).series[0]
    np.testing.assert_array_equal(known.known.ravel(), [1, 0, np.nan, 1])


def test_an_infinite_number_of_a_typed_column_is_refused_with_its_row(tmp_path):
    names = {"day": pa.array(DAYS), "sales": pa.array([1, 2, float("inf"), 4])}
    pa.parquet.write_table(pa.table(names), tmp_path / "a.parquet")
    message = r"a\.parquet:3: sales must be a finite number, or empty if missing, got 'inf'"
    with pytest.raises(DataError, match=message):
        read_series(tmp_path / "a.parquet")
    assert has_numbers(column([1, None])) and not has_numbers(column([None], pa.float64()))
