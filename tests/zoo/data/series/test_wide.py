"""Tables whose columns are named by times have a series in each row."""

import numpy as np
import pytest

from zoo.data.inspection import inspect
from zoo.data.readers.tables import open_table
from zoo.data.series.read import read_series
from zoo.data.series.reading import ReadingOptions
from zoo.data.series.wide import times_among

CASES = tuple(f"1/{day}/20" for day in range(1, 32))
MONTHS = ("Jan-19", "Feb-19", "Mar-19", "Apr-19")
# Columns beside the times and their cells, the times, the delimiter, and the names of the series.
TABLES = {
    "cases": (("Province/State,Country/Region,Lat,Long", [",Chad,1.5,2", ",Peru,1.5,3"]),
              CASES, ",", ["Chad", "Peru"]),
    "provinces": (("Province/State,Country/Region,Lat", ["Utah,NA,1", "Utah,UK,1", ",UK,1"]),
                  CASES, ",", ["Utah, NA", "Utah, UK", "UK"]),
    "years": (("Country Name,Code", ["Chad,TCD", "Peru,PER"]), map(str, range(1990, 2020)), ",",
              ["Chad", "Peru"]),
    "World Bank": (("Country Name,Country Code,Series Name", ["Chad,TCD,GDP", "Peru,PER,GDP"]),
                   [f"{n} [YR{n}]" for n in range(1970, 1999)], ",", ["Chad", "Peru"]),
    "pages": (("Page", ["a_en", "b_en"]), [f"2024-01-{n:02}" for n in range(1, 29)], ",",
              ["a_en", "b_en"]),
    "months": (("shop", ["1", "2"]), MONTHS, ";", ["1", "2"]),
    "Eurostat": (("unit,geo", ["A,DE", "A,FR"]), [f"{n} " for n in range(1990, 1999)], "\t",
                 ["A,DE", "A,FR"]),
    "nothing else": (("", ["", ""]), MONTHS, ",", ["row 1", "row 2"]),
}  # fmt: skip


@pytest.mark.parametrize("name", TABLES)
def test_each_row_is_a_series(tmp_path, name):
    (head, rows), times, mark, series = TABLES[name]
    times = [*times]
    values = np.arange(len(rows) * len(times)).reshape(len(rows), -1) / 2
    fill = "," if mark == "\t" else mark
    heads = [x.replace(",", fill) for x in (head, *rows)]
    lines = [
        [x] * bool(head) + [*map(str, y)] for x, y in zip(heads, [times, *values], strict=True)
    ]
    path = tmp_path / ("a.tsv" if mark == "\t" else "a.csv")
    path.write_text("".join(f"{mark.join(line)}\n" for line in lines))
    found = read_series(path)
    assert [each.name for each in found.series] == series
    np.testing.assert_array_equal([each.values[:, 0] for each in found.series], values)
    assert (found.targets, found.layout.time) == (["value"], "time")
    seen = inspect(path)
    assert (seen.task, seen.rows, seen.header) == ("series-forecaster", len(rows), True)


def test_what_else_a_wide_table_has(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("town,shop,2019,2020,2021\nRome,a,1,,3\nRome,b,4,5,x\n")
    options = ReadingOptions().with_names(static="town")
    with pytest.raises(ValueError, match=r"a.csv:3: value must be .* got 'x'"):
        read_series(path, options)
    path.write_text("town,shop,2019,2020,2021\nRome,a,1,,3\nRome,b,4,5,6\n")
    found = read_series(path, options)
    assert [each.static for each in found.series] == [("Rome",)] * 2
    np.testing.assert_array_equal(found.series[0].values[:, 0], [1, np.nan, 3])
    frame = {"shop": ["a"], "2024-01-01": [1.5], "2024-01-02": [2.5], "2024-01-03": [3.5]}
    assert read_series(frame).series[0].values[:, 0].tolist() == [1.5, 2.5, 3.5]


@pytest.mark.parametrize(
    "text", ["1990,1991,5\n1,2,3\n", "a,1990,1991\nb,2,3\n", "x,y,z,2020,2021,2022\n1,2,3,4,5,6\n"]
)
def test_few_years_are_no_times(tmp_path, text):
    (tmp_path / "a.csv").write_text(text)
    assert read_series(tmp_path / "a.csv").targets != ["value"]


def test_a_header_of_times_is_known_by_one_name(tmp_path):
    rows = "".join(f"{n},2013,1,2,{n},NA,-{n}.5,NW\n" for n in range(1, 20))
    (tmp_path / "a.csv").write_text(f"No,year,month,day,hour,pm2.5,DEWP,cbwd\n{rows}")
    assert open_table(tmp_path / "a.csv", "data").names[5] == "pm2.5"


def test_names_of_many_digits_or_of_small_ones_are_no_years():
    assert times_among(["1" * 5000, "²", "1699", "2300"]) == []
    assert times_among(["1700", "1701", "1702", "²"]) == ["1700", "1701", "1702"]
