"""Series of tables: long and wide, their times, missing values, and what is refused."""

from datetime import datetime, timedelta

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

from zoo.data.series.read import read_series
from zoo.errors import UserError
from zoo.tasks.options.series_forecaster import SeriesColumns

DAYS = ["2024-01-30", "2024-01-31", "2024-02-01"]


def written(folder, text, name="data.csv"):
    path = folder / name
    path.write_text(text, "utf-8")
    return path


def test_a_long_table(tmp_path):
    rows = [f"{name},{day},{i + j}" for j, name in enumerate("ab") for i, day in enumerate(DAYS)]
    found = read_series(written(tmp_path, "item,ds,y\n" + "\n".join(rows)))
    assert [each.name for each in found.series] == ["a", "b"]
    assert [each.values.ravel().tolist() for each in found.series] == [[0, 1, 2], [1, 2, 3]]
    assert str(found.clock) == "every day" and found.clock.season == 7
    assert "time = ds, series = item, targets = y" in str(found)


def test_series_whose_rows_take_turns(tmp_path):
    rows = [f"{day},{name},{j}" for day in DAYS for j, name in enumerate("ab")]
    found = read_series(written(tmp_path, "date,id,sold\n" + "\n".join(rows)))
    assert [each.values.ravel().tolist() for each in found.series] == [[0, 0, 0], [1, 1, 1]]


def test_a_wide_table_has_all_its_columns_of_numbers(tmp_path):
    text = "when,north,south,note\n2024-01-01,1,5,\n2024-02-01,,6,x\n2024-03-01,3,7,y\n"
    found = read_series(written(tmp_path, text))
    assert found.targets == ["north", "south"]
    np.testing.assert_array_equal(found.series[0].values, [[1, 5], [np.nan, 6], [3, 7]])
    assert found.series[0].name == "data" and "unused = note" in str(found)
    assert found.statistics["missing values"] == 1 and str(found.clock) == "every month"
    only = read_series(tmp_path / "data.csv", SeriesColumns(target_column="south"))
    assert only.targets == ["south"] and only.series[0].values.shape == (3, 1)


def test_steps_without_a_row_are_missing(tmp_path):
    text = "time,value\n1,5\n2,\n3,NaN\n4,7\n7,9\n"
    found = read_series(written(tmp_path, text))
    expected = [5, np.nan, np.nan, 7, np.nan, np.nan, 9]
    np.testing.assert_array_equal(found.series[0].values.ravel(), expected)
    assert found.statistics == {"missing values": 4, "steps without a row": 2}
    assert "4 missing values; 2 steps without a row" in str(found)


def test_covariates_after_the_last_value_are_the_future(tmp_path):
    text = "month,sales,holiday,region\n2024-01,3,0,n\n2024-02,5,1,n\n2024-03,,0,n\n2024-04,,1,n\n"
    options = SeriesColumns(known_column="holiday", static_column="region")
    (series,) = read_series(written(tmp_path, text), options).series
    assert series.values.ravel().tolist() == [3, 5] and series.static == ("n",)
    assert series.known.ravel().tolist() == [0, 1, 0, 1]


def test_columns_and_parquet_give_the_same(tmp_path):
    times = [datetime(2024, 1, 1, 6) + timedelta(hours=6 * i) for i in range(5)]
    columns = {"timestamp": times, "load": [1.0, None, 3.0, 4.0, 5.0]}
    pa.parquet.write_table(pa.table(columns), tmp_path / "data.parquet")
    for data in (columns, tmp_path / "data.parquet"):
        found = read_series(data)
        np.testing.assert_array_equal(found.series[0].values.ravel(), [1, np.nan, 3, 4, 5])
        assert str(found.clock) == "every 6 hours" and found.clock.season == 4
        assert found.clock.label(found.series[0].start + 5 * 21600) == "2024-01-02 12:00:00"


def test_a_folder_has_a_series_in_each_file(tmp_path):
    for name in ("b", "a"):
        written(tmp_path, "date,y\n2024-01-01,3\n2024-01-02,5\n", f"{name}.csv")
    assert [each.name for each in read_series(tmp_path).series] == ["a", "b"]


def test_arrays():
    found = read_series([np.arange(5), [[1.0], [np.nan]]])
    assert [len(each) for each in found.series] == [5, 2] and found.targets == ["value"]
    assert found.statistics["missing values"] == 1 and found.clock.season == 1


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("date,y\n2024-01-02,1\n2024-01-01,2\n", {}, r":3: series 'data': the time 2024-01-01 is "
         "before 2024-01-02 in line 2; sort the rows by time"),
        ("date,y\n2024-01-01,1\n2024-01-02,2\n2024-01-01,3\n", {},
         ":4: series 'data' has the time 2024-01-01 in line 2, too"),
        ("date,y\n2024-01-01,1\n2024-01-03,2\n2024-01-05,3\n2024-01-06,3\n", {},
         ":5: series 'data': the time 2024-01-06 does not fit times every 2 days from 2024-01-01"),
        ("date,y\n2024-01-01,1\n2024-01-02,2\n2099-01-01,3\n", {},
         ":4: series 'data' has 3 rows for 27395 times every day; expected regular times"),
        ("date,y\n2024-13-01,1\n", {}, ":2: date: expected a date such as 2024-01-31"),
        ("date,y\n2024-01-01,1\n17,2\n", {}, ":3: date: expected times like '2024-01-01', got"),
        ("date,y\n2024-01-01,many\n", {"target_column": "y"}, ":2: y must be a finite number, or "
         "empty if missing, got 'many'"),
        ("date,y\n2024-01-01,inf\n", {}, ":2: y must be a finite number"),
        ("date,y\n2024-01-01,1\n", {"known_column": "price"}, "has no column price: name the known "
         "of series with known_column; the columns are "),
        ("date,y\n2024-01-01,1\n", {"time_column": "when"}, "has no column when"),
        ("date,name\n2024-01-01,a\n", {}, "has no column of numbers to forecast: name it with "
         "target_column; the other columns are name"),
        ("date,y,town\n2024-01-01,1,a\n2024-01-02,1,b\n", {"static_column": "town"},
         ":3: town of series 'data' is 'b', and was 'a'; it must not change within a series"),
    ],
)  # fmt: skip
def test_bad_tables(text, options, message, tmp_path):
    with pytest.raises(UserError, match=message):
        read_series(written(tmp_path, text), SeriesColumns(**options))


def test_a_link_out_of_the_folder(tmp_path):
    written(tmp_path, "date,y\n2024-01-01,3\n", "secret.csv")
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "a.csv").symlink_to(tmp_path / "secret.csv")
    with pytest.raises(UserError, match=r"a\.csv is a link out of .*data"):
        read_series(tmp_path / "data")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ([], "has no series"),
        ([["a", "b"]], "series 1 must be an array"),
        ([np.ones(3), np.ones((3, 2))], "all series must have as many targets"),
        ([np.array([1, np.inf])], "series 1 must be an array .* got an infinite one"),
    ],
)
def test_bad_arrays(data, message):
    with pytest.raises(UserError, match=message):
        read_series(data)


def test_one_series_in_two_files(tmp_path):
    for name in ("a", "b"):
        written(tmp_path, "series,date,y\nx,2024-01-01,3\nx,2024-01-02,3\n", f"{name}.csv")
    with pytest.raises(UserError, match=r"b\.csv: the series 'x' is in .*a\.csv, too"):
        read_series(tmp_path)


def test_bad_rows_are_left_out_if_the_user_says_so(tmp_path):
    text = "date,y\n2024-01-01,1\n2024-01-02,many\n2024-01-03,2\n04.01.,3\n2024-01-05,4,5\n"
    text += "".join(f"2024-01-{day:02},{day}\n" for day in range(6, 11))
    path, options = written(tmp_path, text), SeriesColumns(target_column="y", time_column="date")
    with pytest.raises(UserError, match=r"data.csv:6: expected 2 columns, found 3"):
        read_series(path, options)
    path.write_text(text.replace("4,5", "4"), "utf-8")
    with pytest.raises(UserError, match=r"data.csv:3: y must be a finite number"):
        read_series(path, options)
    path.write_text(text, "utf-8")
    options.skip_bad_rows = True
    found = read_series(path, options)
    expected = [1, np.nan, 2, np.nan, np.nan, 6, 7, 8, 9, 10]
    np.testing.assert_array_equal(found.series[0].values.ravel(), expected)
    assert found.statistics["bad rows skipped"] == 3
    path.write_text("date,y\n2024-01-01,many\n", "utf-8")
    with pytest.raises(UserError, match="has no valid row; the first: y must be a finite number"):
        read_series(path, options)
