"""Series of tables: long and wide, their times, missing values, and what is refused."""

import logging
from dataclasses import replace
from datetime import datetime, timedelta

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

from zoo.data.series.forecasts import shown_time
from zoo.data.series.read import read_series
from zoo.data.series.reading import ReadingOptions
from zoo.errors import UserError

DAYS = ["2024-01-30", "2024-01-31", "2024-02-01"]


def written(folder, text, name="data.csv"):
    path = folder / name
    path.write_text(text, "utf-8")
    return path


def test_a_long_table(tmp_path):
    rows = [f"{name},{day},{i + j}" for j, name in enumerate("ab") for i, day in enumerate(DAYS)]
    actual = read_series(written(tmp_path, "item,ds,y\n" + "\n".join(rows)))
    assert [each.name for each in actual.series] == ["a", "b"]
    assert [each.values.ravel().tolist() for each in actual.series] == [[0, 1, 2], [1, 2, 3]]
    assert str(actual.clock) == "every day" and actual.clock.season == 7
    assert "time = ds, series = item, targets = y" in str(actual)


def test_series_whose_rows_take_turns(tmp_path):
    rows = [f"{day},{name},{j}" for day in DAYS for j, name in enumerate("ab")]
    actual = read_series(written(tmp_path, "date,id,sold\n" + "\n".join(rows)))
    assert [each.values.ravel().tolist() for each in actual.series] == [[0, 0, 0], [1, 1, 1]]


def test_a_wide_table_has_all_its_columns_of_numbers(tmp_path):
    text = "when,north,south,note\n2024-01-01,1,5,\n2024-02-01,,6,x\n2024-03-01,3,7,y\n"
    actual = read_series(written(tmp_path, text))
    assert actual.targets == ["north", "south"]
    np.testing.assert_array_equal(actual.series[0].values, [[1, 5], [np.nan, 6], [3, 7]])
    assert actual.series[0].name == "data" and "unused = note" in str(actual)
    assert actual.statistics["missing values"] == 1 and str(actual.clock) == "every month"
    only = read_series(tmp_path / "data.csv", ReadingOptions().with_names(target="south"))
    assert only.targets == ["south"] and only.series[0].values.shape == (3, 1)


@pytest.mark.parametrize("how", ["error", "last"])
@pytest.mark.parametrize(
    "times", [DAYS, ["2019", "2020", "2021"], ["1/2024", "2/2024", "3/2024"], ["9", "11", "13"]]
)
def test_rows_that_are_newest_first(tmp_path, times, how):
    rows = [
        f"{name},{time},{i + 5 * j}" for j, name in enumerate("ab") for i, time in enumerate(times)
    ]
    text = "series,time,y\n" + "\n".join(reversed(rows))
    actual = read_series(written(tmp_path, text), ReadingOptions(duplicates=how))
    values = {each.name: each.values.ravel().tolist() for each in actual.series}
    assert values == {"a": [0, 1, 2], "b": [5, 6, 7]}
    assert "6 rows put in order, which were newest first" in str(actual)
    forward = read_series(written(tmp_path, "series,time,y\n" + "\n".join(rows)))
    assert actual.clock == forward.clock and "put in order" not in str(forward)


def test_steps_without_a_row_are_missing(tmp_path):
    text = "time,value\n1,5\n2,\n3,NaN\n4,7\n7,9\n"
    actual = read_series(written(tmp_path, text))
    expected = [5, np.nan, np.nan, 7, np.nan, np.nan, 9]
    np.testing.assert_array_equal(actual.series[0].values.ravel(), expected)
    assert actual.statistics == {"missing values": 4, "steps without a row": 2}
    assert "4 missing values; 2 steps without a row" in str(actual)


def test_covariates_after_the_last_value_are_the_future(tmp_path):
    text = "month,sales,holiday,region\n2024-01,3,0,n\n2024-02,5,1,n\n2024-03,,0,n\n2024-04,,1,n\n"
    options = ReadingOptions().with_names(known="holiday", static="region")
    (series,) = read_series(written(tmp_path, text), options).series
    assert series.values.ravel().tolist() == [3, 5] and series.static == ("n",)
    assert series.known.ravel().tolist() == [0, 1, 0, 1]


def test_columns_and_parquet_give_the_same(tmp_path):
    times = [datetime(2024, 1, 1, 6) + timedelta(hours=6 * i) for i in range(5)]
    columns = {"timestamp": times, "load": [1.0, None, 3.0, 4.0, 5.0]}
    pa.parquet.write_table(pa.table(columns), tmp_path / "data.parquet")
    for data in (columns, tmp_path / "data.parquet"):
        actual = read_series(data)
        np.testing.assert_array_equal(actual.series[0].values.ravel(), [1, np.nan, 3, 4, 5])
        assert str(actual.clock) == "every 6 hours" and actual.clock.season == 4
        assert actual.clock.label(actual.series[0].start + 5 * 21600) == "2024-01-02 12:00:00"


def test_a_folder_has_a_series_in_each_file(tmp_path):
    for name in ("b", "a"):
        written(tmp_path, "date,y\n2024-01-01,3\n2024-01-02,5\n", f"{name}.csv")
    assert [each.name for each in read_series(tmp_path).series] == ["a", "b"]


def test_arrays():
    actual = read_series([np.arange(5), [[1.0], [np.nan]]])
    assert [len(each) for each in actual.series] == [5, 2] and actual.targets == ["value"]
    assert actual.statistics["missing values"] == 1 and actual.clock.season == 1


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("date,y\n2024-01-02,1\n2024-01-01,2\n2024-01-03,3\n", {}, r":3: series 'data': the time "
         "2024-01-01 is before 2024-01-02 in line 2; sort the rows by time"),
        ("date,y\n2024-01-01,1\n2024-01-02,2\n2024-01-01,3\n", {},
         ":4: series 'data' has the time 2024-01-01 in line 2, too; name the column of series with "
         "--series-column, or choose --duplicates mean or sum"),
        ("date,y\n2024-01-01,1\n2024-01-03,2\n2024-01-05,3\n2024-01-06,3\n", {},
         ":5: series 'data': the time 2024-01-06 does not fit times every 2 days from 2024-01-01"),
        ("date,y\n2024-01-01,1\n2024-01-02,2\n2099-01-01,3\n", {},
         ":4: series 'data' has 3 rows for 27395 times every day; expected regular times"),
        ("time,y\n00:15,1\n", {}, ":2: time: .*'00:15'; time_column DAY,TIME names the column of "
         "days, too"),
        ("date,y\n2024-13-01,1\n", {}, ":2: date: expected a date such as 2024-01-31"),
        ("date,y\n2024-01-01,1\n17,2\n", {}, ":3: date: expected times like '2024-01-01', got"),
        ("date,y\n2024-01-01,many\n", {"target_column": "y"}, ":2: y must be a finite number, or "
         "empty if missing, got 'many'"),
        ("date,y\n2024-01-01,inf\n", {}, ":2: y must be a finite number"),
        ("date,y\n2024-01-01,-1e38\n", {}, ":2: y is '-1e38'; expected numbers up to 1e.16"),
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
        read_series(written(tmp_path, text), ReadingOptions.of(options))


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
        (
            [np.array([1, -1e38])],
            "series 1 has the value -1e.38; expected numbers up to 1e.16: "
            "divide all by the same number",
        ),
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
    path, options = written(tmp_path, text), ReadingOptions().with_names(target="y", time="date")
    with pytest.raises(UserError, match=r"data.csv:6: expected 2 columns, found 3"):
        read_series(path, options)
    path.write_text(text.replace("4,5", "4"), "utf-8")
    with pytest.raises(UserError, match=r"data.csv:3: y must be a finite number"):
        read_series(path, options)
    path.write_text(text, "utf-8")
    options = replace(options, table=replace(options.table, skip_bad_rows=True))
    actual = read_series(path, options)
    expected = [1, np.nan, 2, np.nan, np.nan, 6, 7, 8, 9, 10]
    np.testing.assert_array_equal(actual.series[0].values.ravel(), expected)
    assert actual.statistics["bad rows skipped"] == 3
    path.write_text("date,y\n2024-01-01,many\n", "utf-8")
    with pytest.raises(UserError, match="has no valid row; the first: y must be a finite number"):
        read_series(path, options)


STOCKS = "symbol,city,date,price\n" + "".join(
    f"{symbol},Rome,{month} 1 2000,{price}\n"
    for symbol, price in (("MSFT", 39.5), ("AMZN", 64.5))
    for month in ("Jan", "Feb", "Mar")
)


def test_a_time_that_is_there_twice_names_the_columns_of_series(tmp_path):
    path = written(tmp_path, STOCKS)
    message = r":5: series 'data' has the time 2000-01-01 in line 2, too; name the column of "
    message += r"series with --series-column \(symbol\), or choose --duplicates mean"
    with pytest.raises(UserError, match=message):
        read_series(path)
    actual = read_series(path, ReadingOptions().with_names(series="symbol"))
    assert [each.name for each in actual.series] == ["MSFT", "AMZN"]
    shops = written(tmp_path, "shop,day,sold\n1,2024-01-01,4\n1,2024-01-02,5\n2,2024-01-01,6\n"
                    "2,2024-01-02,7\n", "shops.csv")  # fmt: skip
    with pytest.raises(UserError, match=r"with --series-column \(shop\), or choose"):
        read_series(shops)


@pytest.mark.parametrize(("how", "values"), [("mean", [52, 52, 52]), ("last", [64.5] * 3)])
def test_rows_of_one_time_become_one(how, values, tmp_path):
    actual = read_series(written(tmp_path, STOCKS), ReadingOptions(duplicates=how))
    assert actual.series[0].values.ravel().tolist() == values
    assert actual.statistics["rows of a time that is there before"] == 3
    gaps = {"date": ["2024-01-01", "2024-01-02", "2024-01-02"], "y": [3.0, None, None]}
    values = read_series(gaps, ReadingOptions(duplicates=how)).series[0].values.ravel()
    np.testing.assert_array_equal(values, [3])  # then a step to forecast


def test_sums_of_rows_of_one_time(tmp_path):
    days = ["2024-01-01,3,1,", "2024-01-01,4.5,1,", "2024-01-02,,0,", "2024-01-02,,0,2"]
    text = "\n".join(["date,sold,promotion,returned", *days, "2024-01-03,5,,1", "2024-01-03,,1,"])
    options = ReadingOptions(duplicates="sum", targets=("sold", "returned"))
    actual = read_series(written(tmp_path, text + "\n"), options.with_names(known="promotion"))
    (series,) = actual.series
    expected = [[7.5, np.nan], [np.nan, 2], [5, 1]]
    np.testing.assert_array_equal(series.values, expected)
    assert series.known.ravel().tolist() == [1, 0, 1]  # of covariates the mean
    assert actual.statistics["rows of a time that is there before"] == 3


def test_parts_of_a_second_beside_regular_times_are_rounded(tmp_path):
    times = ["10:00:00.003", "10:00:59.998", "10:02:00.000", "10:03:00.450", "10:03:59.997"]
    rows = [f"2024-01-01 {time},{n}\n" for n, time in enumerate(times)]
    actual = read_series(written(tmp_path, "time,y\n" + "".join(rows)))
    assert actual.series[0].values.ravel().tolist() == [0, 1, 2, 3, 4]
    assert str(actual.clock) == "every minute"
    assert actual.clock.label(actual.series[0].start + 60) == "2024-01-01 10:01:00"
    assert actual.statistics["times rounded to whole seconds"] == 4
    late = "time,y\n" + "".join(rows) + "2024-01-01 10:05:01.2,5\n2024-01-01 10:06:00,6\n"
    with pytest.raises(UserError, match="does not fit times every"):
        read_series(written(tmp_path, late))


def test_dates_that_are_not_used_are_a_warning(tmp_path, caplog):
    logging.getLogger("keras_attn").propagate = True
    text = "opened,closed,y\n2024-01-03,2024-01-02,1\n2024-01-02,2024-01-05,2\n"
    with caplog.at_level("WARNING", "keras_attn"):
        read_series(written(tmp_path, text))
    assert "the dates of opened, closed are not used, rows are numbered; --time-column names" in (
        caplog.text
    )
    caplog.clear()
    with caplog.at_level("WARNING", "keras_attn"):
        read_series(tmp_path / "data.csv", ReadingOptions().with_names(time="opened"))
    assert "the dates of closed are not used, the times are opened; --time-column" in caplog.text


@pytest.mark.parametrize(
    ("names", "rows", "first", "step"),
    [
        ("year,month,y", ["1949,January", "1949,February"], "1949-01-01", "every month"),
        ("year,month,y", ["1949,11", "1949,12"], "1949-11-01", "every month"),
        ("year,month,day,y", ["2024,2,28", "2024,2,29"], "2024-02-28", "every day"),
        ("year,quarter,y", ["1959.0,1.0", "1959.0,2.0"], "1959-01-01", "every 3 months"),
        ("YEAR,y", ["1700.0", "1701.0"], "1700", "numbered steps"),
    ],
)
def test_years_and_months_in_columns_of_their_own(names, rows, first, step, tmp_path):
    text = "\n".join([names, *(f"{row},{n}" for n, row in enumerate(rows))])
    actual = read_series(written(tmp_path, text + "\n"))
    assert actual.targets == ["y"] and str(actual.clock) == step
    assert actual.clock.label(actual.series[0].start) in (first, first.replace("-01-01", "Q1"))


def test_a_file_that_cannot_be_decided_is_as_the_others(tmp_path):
    written(tmp_path, "date,y\n1/2/2024,1\n1/3/2024,2\n", "a.csv")
    message = "date: '1/2/2024' can be read day first and month first: choose --date-format"
    with pytest.raises(UserError, match=message):
        read_series(tmp_path / "a.csv")
    written(tmp_path, "date,y\n1/20/2024,1\n1/21/2024,2\n", "b.csv")
    first, _ = read_series(tmp_path).series
    assert read_series(tmp_path).clock.label(first.start) == "2024-01-02"
    options = ReadingOptions(date_format="%d/%m/%Y")
    actual = read_series(tmp_path / "a.csv", options)
    assert str(actual.clock) == "every month" and actual.layout.date_format == "%d/%m/%Y"
    with pytest.raises(UserError, match="b.csv:2: date: expected a date such as 2024-01-31"):
        read_series(tmp_path / "b.csv", options)


def test_files_may_have_their_columns_in_another_order(tmp_path):
    written(tmp_path, "date,low,high\n2024-01-01,1,9\n2024-01-02,2,8\n", "a.csv")
    written(tmp_path, "high,date,low\n7,2024-01-01,3\n6,2024-01-02,4\n", "b.csv")
    actual = read_series(tmp_path)
    assert actual.targets == ["low", "high"]
    assert actual.series[1].values.tolist() == [[3, 7], [4, 6]]


def test_a_table_with_semicolons_and_decimal_commas(tmp_path):
    text = "Datum;Umsatz;Note\n01.02.2024;1.234,5;gut\n02.02.2024;950;schlecht\n"
    actual = read_series(written(tmp_path, text))
    assert actual.series[0].values.ravel().tolist() == [1234.5, 950]
    assert (
        "time = Datum" in actual.note and actual.clock.label(actual.series[0].start) == "2024-02-01"
    )


@pytest.mark.parametrize(
    "cell", ["{0}th of January 2020 AD", "Week {0} of 2019", "the {0}. day in 1998", "y2020 #{0}"]
)
def test_a_column_of_dates_that_are_not_read_is_named(cell, tmp_path, caplog):
    logging.getLogger("keras_attn").propagate = True
    rows = [f"{cell.format(n + 4)},{n % 5}.5,of 2020" for n in range(30)]
    path = tmp_path / "a.csv"
    path.write_text("\n".join(["observed,close,issue", *rows, ""]))
    read = read_series(path)
    assert len(read.series[0]) == 30
    assert "a.csv: rows are numbered, and observed may have dates in a form that is" in caplog.text
    assert "--time-column observed" in caplog.text and "issue" not in caplog.text
    caplog.clear()
    path.write_text("\n".join(["who,close", *(f"Ann {n},{n}.5" for n in range(30)), ""]))
    read_series(path)
    assert "dates" not in caplog.text


def test_steps_without_a_value_at_the_end_are_steps_to_forecast(tmp_path, caplog):
    rows = "".join(f"2024-01-{day:02},{day}.5,\n" for day in range(1, 8))
    last = "2024-01-08,,2\n2024-01-09,,\n2024-01-11,,\n"
    (tmp_path / "a.csv").write_text(f"day,heat,cold\n{rows}{last}")
    both = read_series(tmp_path / "a.csv", ReadingOptions.of({"target_column": "heat,cold"}))
    assert both.series[0].values.shape == (8, 2)
    examples = read_series(tmp_path / "a.csv", ReadingOptions.of({"target_column": "heat"}))
    (series,) = examples.series
    np.testing.assert_array_equal(series.values[:, 0], np.arange(1, 8) + 0.5)
    assert examples.statistics["steps without a row"] == 1
    told = "steps without a value at the end, which count as steps to forecast"
    assert examples.statistics[told] == 4
    assert shown_time(series, examples.clock, len(series)) == "2024-01-08"
