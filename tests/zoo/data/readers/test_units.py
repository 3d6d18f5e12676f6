"""Units below a header and behind numbers: rows of units are no rows, and cells are numbers."""

import logging
import math
from datetime import datetime, timedelta

import numpy as np
import pytest

from zoo.data.inspection import inspect
from zoo.data.readers.numbers import is_numeric, is_written_number, read_numbers
from zoo.data.readers.tables import open_table
from zoo.data.readers.unit_rows import units_below
from zoo.data.readers.values import read_values
from zoo.data.series.read import read_series
from zoo.errors import DataError

START, HOUR = datetime(2024, 1, 1), timedelta(hours=1)
ROWS = [[f"{START + n * HOUR}", f"{12 + 5 * math.sin(n):.1f}", f"{n % 7}"] for n in range(48)]
# What is above the rows, and what the warnings say of it.
TABLES = {
    "German": ("date;temp;wind\n;°C;m/s\n", "line 2 is below the header of the table"),
    "all columns": ("Time;Temp;Rain\nISO 8601;degC;10^3 mm\n", "line 2 is below the header"),
    "brackets": ("when;temp;wind\n[h];[°C];[m3/s]\n", "line 2 is below the header"),
    "Campbell": (
        "TOA5;CR1000;CR1000;1234;CR1000.Std.32\nTIMESTAMP;AirT;Wind\nTS;Deg C;m/s\n;Avg;Smp\n",
        "lines 3 to 4 are below the header of the table, and are not read: 'TS, Deg C, m/s'",
    ),
    "RDB": (
        "# USGS\n#\ndatetime;12345_00060;00060\n20d;14n;10n\n",
        "line 4 is below the header of the table, and is not read: '20d, 14n, 10n'",
    ),
    "titles": ("Weather\nof Oslo\ndate;temp;wind\n;°C;m/s\n", "line 4 is below the header"),
}


@pytest.mark.parametrize("name", TABLES)
def test_units_below_the_header_are_no_row(tmp_path, name, caplog):
    logging.getLogger("keras_attn").propagate = True
    above, warning = TABLES[name]
    (tmp_path / "a.csv").write_text(above + "".join(";".join(row) + "\n" for row in ROWS))
    actual = read_series(tmp_path / "a.csv")
    assert warning in caplog.text
    np.testing.assert_allclose(actual.series[0].values, [[*map(float, x[1:])] for x in ROWS])
    assert actual.clock.step == 3600
    assert inspect(tmp_path / "a.csv").task == "series-forecaster"


def test_lines_keep_their_numbers(tmp_path):
    rows = [*ROWS[:30], [ROWS[30][0], "warm", "3"], *ROWS[31:]]
    text = "date;temp;wind\n;°C;m/s\n" + "".join(";".join(row) + "\n" for row in rows)
    (tmp_path / "a.csv").write_text(text)
    with pytest.raises(DataError, match="a.csv:33: temp must be a finite number"):
        read_series(tmp_path / "a.csv")


@pytest.mark.parametrize(
    "first",
    [["2024-01-01", "broken"], ["", "n/a"], ["2023-12-31", "-"], ["soon", "7"], ["", ""]],
)
def test_first_rows_that_are_rows(first):
    assert units_below([first, *(row[:2] for row in ROWS)]) == 0


def test_texts_are_no_units():
    rows = [[f"a film, number {n}", "good" if n % 2 else "bad", str(n)] for n in range(20)]
    assert units_below(rows) == 0
    assert units_below([["a fine film", "good", "unknown"], *rows]) == 0
    assert units_below([["", "", "points"], *rows]) == 1


@pytest.mark.parametrize(
    ("cells", "numbers"),
    [
        (["20.1 °C", "-3,5 °C", "7 ° C"], None),
        (["20,1 °C", "-3,5°C", "7 ° C"], [20.1, -3.5, 7]),
        (["12 %", "", "n/a", "3%"], [12, np.nan, np.nan, 3]),
        (["1 234,5 kg", "12 000,0 kg", "3,25kg"], [1234.5, 12000, 3.25]),
        (["€ 3.20", "€ 1,003.20", "€ 4"], [3.2, 1003.2, 4]),
        (["12.8 µg/m3", "3 µg/m3"], [12.8, 3]),
        (["3 Stück", "12 Stück", "7 Stück"], [3, 12, 7]),
        (["1.5 l/100km", "3 l/100km"], None),
    ],
)
def test_cells_with_units(cells, numbers):
    bad = {}
    actual = read_numbers("x", cells, bad)
    if numbers is None:
        assert bad or not is_numeric(cells)
        return
    np.testing.assert_array_equal(actual, numbers)
    assert not bad and is_numeric(cells)


def test_a_cell_of_another_unit_is_refused():
    bad = {}
    read_numbers("temp", ["20.1 °C", "68 °F", "19 °C"], bad)
    assert bad == {1: "temp: '68 °F' has another unit than most cells, which have '°c'"}


@pytest.mark.parametrize("cell", ["12 ducks", "3rd", "2024Q1", "1:30", "5a", "3 of 5", "007_x"])
def test_single_cells_with_other_words_are_no_numbers(cell):
    assert not is_written_number(cell)


@pytest.mark.parametrize("cells", [["1st", "2nd", "3rd"], ["3 km", "5 Rooms", "4 km"], ["5 a"]])
def test_columns_of_other_words_are_no_numbers(cells):
    assert not is_numeric(cells)


def test_values_with_units(tmp_path):
    rows = "".join(f"a flat with {n} rooms,{50 + 10 * n} m²\n" for n in range(20))
    (tmp_path / "a.csv").write_text(f"text,size\n{rows}")
    actual = read_values(tmp_path / "a.csv")
    assert actual.values == [(50.0 + 10 * n,) for n in range(20)]
    assert open_table(tmp_path / "a.csv", "values").names == ["text", "size"]
