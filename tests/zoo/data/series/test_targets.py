"""Columns with nothing to forecast are no targets, and marks of missing values are no values."""

import logging
from dataclasses import replace
from datetime import datetime, timedelta

import numpy as np
import pytest

from zoo.data.inspection import inspect
from zoo.data.series.read import read_series
from zoo.data.series.reading import DEFAULT, ReadingOptions
from zoo.errors import UserError

DAYS = [datetime(2024, 1, 30) + timedelta(days=n) for n in range(40)]
# The names of columns, how a row is written, the targets, and what a warning says.
TABLES = {
    "Australia": (
        "Product code,Bureau of Meteorology station number,Year,Month,Day,Rain (mm),Period",
        "IDCJAC0009,66062,{0:%Y,%m,%d},{1},1",
        ["Rain (mm)"],
        "they do not change: Bureau of Meteorology station number, Period",
    ),
    "Germany": (
        "STATIONS_ID;MESS_DATUM;QN_3;TMK;RSK;eor",
        "  44;{0:%Y%m%d};  3; {1};-999;eor",
        ["TMK"],
        "they do not change: STATIONS_ID, QN_3, RSK",
    ),
    "dates and parts": (
        "Date,Year,Month,Day,temp",
        "{0:%Y-%m-%d},{0:%Y,%m,%d},{1}",
        ["temp"],
        "they are parts of the times: Month, Day",
    ),
    "row numbers": ("nr,day,temp", "{2},{0:%d.%m.%Y},{1}", ["temp"], "they number the rows: nr"),
    "gaps": (
        "station;date;hum;temp",
        "{2};{0:%Y-%m-%d};{1};{1}",
        ["hum", "temp"],
        "they number the rows: station",
    ),
    "all constant": ("date,a,b", "{0:%Y-%m-%d},1,2", ["a", "b"], ""),
}


def written(folder, name):
    names, row, targets, warning = TABLES[name]
    rows = [row.format(day, n % 7 + 0.5, n) for n, day in enumerate(DAYS)]
    path = folder / "a.csv"
    path.write_text("\n".join([names, *rows]))
    return path, targets, warning


@pytest.mark.parametrize("name", TABLES)
def test_columns_that_say_nothing_are_not_forecast(tmp_path, name, caplog):
    logging.getLogger("keras_attn").propagate = True
    path, targets, warning = written(tmp_path, name)
    with caplog.at_level("WARNING", "keras_attn"):
        actual = read_series(path)
    assert actual.targets == targets
    assert warning in caplog.text
    assert bool(warning) == ("not forecast" in caplog.text)


def test_the_user_names_what_is_forecast(tmp_path):
    path, _, _ = written(tmp_path, "row numbers")
    assert read_series(path, DEFAULT.with_names(target="nr")).targets == ["nr"]
    learned = replace(DEFAULT, targets=("nr", "temp"))  # of the training data
    assert read_series(path, learned).targets == ["nr", "temp"]


def test_columns_that_differ_between_series_alone(tmp_path):
    rows = [f"{day:%Y-%m-%d},{s},{48 + s},{n + s}" for s in (1, 2) for n, day in enumerate(DAYS)]
    (tmp_path / "a.csv").write_text("\n".join(["date,id,latitude,temp", *rows]))
    assert read_series(tmp_path / "a.csv").targets == ["temp"]


def test_files_have_the_targets_of_the_first(tmp_path):
    for name, rain in (("a", "{}"), ("b", "0")):
        rows = [f"{day:%Y-%m-%d},{rain.format(n % 7)},{n % 5}" for n, day in enumerate(DAYS)]
        (tmp_path / f"{name}.csv").write_text("\n".join(["date,rain,temp", *rows]))
    actual = read_series(tmp_path)
    assert (actual.targets, len(actual.series)) == (["rain", "temp"], 2)


MARKED = [
    (["0.5", "-999", "2"], 1),
    (["-999.0", "-999", "1013.2"], 2),
    (["-12.5", "-9999", "30"], 1),
    (["7", "9999.9", "-3"], 1),
    (["-99999", "-999", "3"], 2),
    (["-400", "-999", "2"], 0),
    (["5000", "9999.9", "2"], 0),
    (["-999", "-999", "-999"], 0),
]


@pytest.mark.parametrize(("values", "missing"), MARKED)
def test_marks_of_missing_values(tmp_path, values, missing, caplog):
    logging.getLogger("keras_attn").propagate = True
    rows = [f"{day:%Y-%m-%d},{cell}" for day, cell in zip(DAYS, values, strict=False)]
    (tmp_path / "a.csv").write_text("\n".join(["date,temp", *rows]))
    with caplog.at_level("WARNING", "keras_attn"):
        (series,) = read_series(tmp_path / "a.csv").series
    assert int(np.isnan(series.values).sum()) == missing
    assert ("temp is -9" in caplog.text or "temp is 9" in caplog.text) == bool(missing)


@pytest.mark.parametrize(
    "months",
    ["Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec",
     "JANVIER FÉVRIER MARS AVRIL MAI JUIN JUILLET AOÛT SEPTEMBRE OCTOBRE NOVEMBRE DÉCEMBRE",
     "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
     "ene feb mar abr may jun jul ago sep oct nov dic"],
)  # fmt: skip
@pytest.mark.parametrize("more", ["", ",Annual", ",DJF,MAM"])
def test_a_column_for_each_month_is_refused(tmp_path, months, more):
    """As NOAA, NASA and Météo-France write them: twelve series of years would be forecast."""
    names = months.split()
    width = 12 + more.count(",")
    rows = [",".join([f"{1960 + n}", *(f"{n + m}.5" for m in range(width))]) for n in range(30)]
    text = "\n".join([",".join(["Year", *names]) + more, *rows])
    (tmp_path / "a.csv").write_text(text, "utf-8")
    message = f"a column for each month, {names[0]} to {names[-1]}: write one row for each month"
    with pytest.raises(UserError, match=message):
        read_series(tmp_path / "a.csv")
    assert "write one row for each month" in inspect(tmp_path / "a.csv").understood
    given = ReadingOptions().with_names(target=f"{names[0]},{names[6]}")
    assert read_series(tmp_path / "a.csv", given).targets == [names[0], names[6]]
