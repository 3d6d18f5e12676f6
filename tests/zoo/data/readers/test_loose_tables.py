"""Text files of numbers are tables whatever their names end in; rows of numbers fit no task."""

from datetime import date, timedelta

import numpy as np
import pytest

from zoo.data.inspection import inspect
from zoo.data.readers.documents import read_documents
from zoo.data.readers.loose_tables import is_loose_table
from zoo.data.readers.tables import open_table
from zoo.data.series.read import read_series
from zoo.errors import UserError

DAYS = [date(2024, 1, 1) + timedelta(n) for n in range(60)]
KINDS = ["setosa", "versicolor", "virginica"]
FLOWERS = [
    f"{4 + n % 7}.{n % 10},{2 + n % 3}.{n % 8},{n % 5}.{n % 9},{KINDS[n % 3]}" for n in range(90)
]


def test_files_of_the_german_weather_service(tmp_path):
    rows = [f"         44;{day:%Y%m%d};   10;  {n % 9}.5;-999;eor" for n, day in enumerate(DAYS)]
    text = "\n".join(["STATIONS_ID;MESS_DATUM;QN_3;  FX;  FM;eor", *rows])
    path = tmp_path / "produkt_klima_tag_20240101_20240229_00044.txt"
    path.write_text(text + "\n")
    actual = read_series(path)
    assert (actual.targets, str(actual.clock)) == (["FX"], "every day")
    np.testing.assert_array_equal(
        actual.series[0].values[:, 0], [n % 9 + 0.5 for n in range(len(DAYS))]
    )
    assert inspect(path).task == "series-forecaster"


@pytest.mark.parametrize("name", ["iris.data", "iris.csv", "iris.txt"])
@pytest.mark.parametrize("header", ["", "a,b,c,kind\n"])
def test_rows_of_numbers_fit_no_task(tmp_path, name, header):
    (tmp_path / name).write_text(header + "\n".join(FLOWERS) + "\n\n")
    actual = inspect(tmp_path / name)
    assert (actual.fits, actual.rows) == ([], 90)
    assert "its rows have numbers, and neither texts nor times" in actual.understood
    assert open_table(tmp_path / name, "data").header == bool(header)


@pytest.mark.parametrize(
    "text",
    ["a fine film, and long\n" * 20, "Ann\tB-PER\nsings\tO\n\n" * 20, "1,2\n1,2,3\n" * 20, "1;2\n",
     "one line of text\n" * 20, "5 of 7 stars\n" * 20],
)  # fmt: skip
def test_texts_are_no_tables(tmp_path, text):
    (tmp_path / "a.txt").write_text(text)
    assert not is_loose_table(tmp_path / "a.txt")
    assert read_documents(tmp_path / "a.txt").texts


@pytest.mark.parametrize(
    ("name", "start", "reason"),
    [("a.xlsm", b"PK\x03\x04", "an Excel or OpenDocument file, .* not text: save its table as CSV"),
     ("a.xls", b"\xd0\xcf\x11\xe0", "an old Excel or Word file, not text: save it as"),
     ("a.db", b"SQLite format 3\x00", "an SQLite database, not text: export a table as CSV"),
     ("a.xyz", b"1 2 3", "unknown format: series can be read from .csv")],
)  # fmt: skip
def test_files_of_other_programs_say_what_to_do(tmp_path, name, start, reason):
    (tmp_path / name).write_bytes(start + b"rest")
    with pytest.raises(UserError, match=reason):
        read_series(tmp_path / name)
