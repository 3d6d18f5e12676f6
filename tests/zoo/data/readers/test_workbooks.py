"""Tables of Excel workbooks: which cells are read, with which types, and what is refused."""

import datetime
import re
import zipfile

import numpy as np
import pyarrow as pa
import pytest

from zoo.data.inspection import inspect
from zoo.data.readers import workbooks
from zoo.data.readers.column_names import ReadOptions
from zoo.data.readers.labels import read_labeled
from zoo.data.readers.tables import open_table
from zoo.data.series.read import read_series
from zoo.data.series.reading import ReadingOptions
from zoo.errors import DataError, UserError

openpyxl = pytest.importorskip("openpyxl")

TEXTS = [f"this film was {'so ' * (i % 5)}number {chr(97 + i)}" for i in range(23)]
LABELS = ["negative", "positive", "positive"] * 7 + ["negative"] * 2
DAYS = [datetime.date(2024, 1, 1) + datetime.timedelta(days=i) for i in range(23)]
HEADER = ["No.", "Date", "Rating", "Review", "Verdict"]
ROWS = [
    [1000 + i, day, None, text, label]
    for i, (day, text, label) in enumerate(zip(DAYS, TEXTS, LABELS, strict=True))
]


def write(path, *sheets):
    book = openpyxl.Workbook()
    book.remove(book.active)
    for number, rows in enumerate(sheets):
        sheet = book.create_sheet(f"Sheet {number}")
        for row in rows:
            sheet.append(row)
    book.save(path)
    return path


@pytest.fixture
def reviews(tmp_path):
    return write(tmp_path / "a.xlsx", [HEADER, *ROWS])


def test_columns_have_types(tmp_path):
    moment = datetime.datetime(2024, 2, 1, 7, 30)
    header = ["number", "whole", "mixed", "date", "moment", "yes", "empty", "error"]
    rows = [
        [1 / 3, 2**40 + 1, 7, datetime.datetime(2024, 2, 1), moment, True, None, "#N/A"],
        [4, None, "a", datetime.date(2025, 12, 31), None, False, " ", "fine"],
        [-1.234, 3, 2.5, None, moment, None, None, "#REF!"],
    ]
    table = open_table(write(tmp_path / "a.xlsx", [header, *rows]), "data").read()
    assert table.names == header and table.lines.tolist() == [2, 3, 4]
    types = [*table.data.schema.types]
    assert types == [pa.float64(), pa.int64(), *[pa.string()] * 6]
    assert table.data.column(0).to_pylist() == [1 / 3, 4.0, -1.234]
    assert table.data.column(1).to_pylist() == [2**40 + 1, None, 3]
    assert [table.texts(index) for index in range(2, 8)] == [
        ["7", "a", "2.5"],
        ["2024-02-01", "2025-12-31", ""],
        ["2024-02-01 07:30:00", "", "2024-02-01 07:30:00"],
        ["True", "False", ""],
        ["", "", ""],
        ["", "fine", ""],
    ]


def test_reviews_are_read_as_from_csv(reviews, tmp_path):
    cells = [[*map(str, row[:2]), "", *row[3:]] for row in ROWS]
    csv = "".join(",".join(row) + "\n" for row in [HEADER, *cells])
    (tmp_path / "a.csv").write_text(csv)
    actual, expected = read_labeled(reviews), read_labeled(tmp_path / "a.csv")
    assert (actual.inputs, actual.labels) == (expected.inputs, expected.labels)
    assert actual.labels == LABELS and actual.inputs["text"] == TEXTS
    found = inspect(reviews)
    assert [(each.task, each.options) for each in found.fits][0] == ("text-classifier", {})
    assert [each.kind for each in found.columns] == [
        *("identifier", "date", "unknown", "text", "label")
    ]


def test_a_bad_row_has_its_number_in_the_sheet(tmp_path):
    rows = [["Sales of films"], [], ["text", "label"], ["a fine film", "good"], [], ["a dull one"]]
    rows += [[text, label] for text, label in zip(TEXTS, LABELS, strict=True)]
    path = write(tmp_path / "a.xlsx", rows)
    with pytest.raises(DataError, match=r"a\.xlsx:6: the label is empty"):
        read_labeled(path)
    assert len(read_labeled(path, ReadOptions(skip_bad_rows=True)).labels) == 24


def test_hidden_and_empty_rows_and_sheets_are_left_out(tmp_path, caplog):
    path = tmp_path / "a.xlsx"
    write(path, [["secret"]], [[], []], [["text", "label"], ["a", "x"], [], ["b", "y"], ["c", "x"]],
          [["other"], ["z"]])  # fmt: skip
    book = openpyxl.load_workbook(path)
    book.worksheets[0].sheet_state = "hidden"
    book.worksheets[2].row_dimensions[4].hidden = True
    book.save(path)
    table = open_table(path, "data").read()
    assert table.names == ["text", "label"] and table.lines.tolist() == [2, 5]
    assert table.rows() == [("a", "x"), ("c", "x")]
    said = [record.getMessage() for record in caplog.records]
    assert f"{path}: 1 hidden row not read" in said
    assert f"{path}: reads the sheet 'Sheet 2', the first with cells" in said


def test_formulas_have_the_values_that_were_computed_last(tmp_path):
    path = write(tmp_path / "a.xlsx", [["price", "double"], [3, "=A2*2"], [5, "=A3*2"]])
    changed = tmp_path / "b.xlsx"
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(changed, "w") as new:
        for name in old.namelist():
            content = old.read(name)
            if name.endswith("sheet1.xml"):
                for value in (b"6", b"10"):
                    content = re.sub(rb"</f><v\s*/>|</f><v></v>", b"</f><v>" + value + b"</v>",
                                     content, count=1)  # fmt: skip
            new.writestr(name, content)
    assert open_table(changed, "data").read().data.column(1).to_pylist() == [6, 10]
    assert open_table(path, "data").read().texts(1) == ["", ""]  # never computed


def test_series_of_dates_and_numbers(tmp_path):
    values = [round(1000.5 + 7.25 * i, 3) for i in range(23)]
    rows = [["Date", "Sales"], *zip(DAYS, values, strict=True)]
    series = read_series(write(tmp_path / "a.xlsx", rows), ReadingOptions())
    np.testing.assert_array_equal(np.ravel(series.series[0].values), np.float64(values))


def test_what_cannot_be_read(reviews, tmp_path, monkeypatch):
    damaged = tmp_path / "b.xlsx"
    damaged.write_bytes(reviews.read_bytes()[:2000])
    for path, message in [
        (damaged, r"b\.xlsx is not an Excel workbook, or is damaged: BadZipFile"),
        (tmp_path / "none.xlsx", "none.xlsx"),
        (write(tmp_path / "c.xlsx", [[], []]), r"c\.xlsx has no visible cells"),
        (
            write(tmp_path / "d.xlsx", [["text", "label", "text"], *[["x", 1, "y"]] * 3]),
            "2 columns with",
        ),
    ]:
        with pytest.raises(UserError, match=message):
            open_table(path, "data")
    monkeypatch.setattr(workbooks, "CELLS", 50)
    with pytest.raises(UserError, match="more than 50 cells in the sheet 'Sheet 0': save its"):
        open_table(reviews, "data")
    monkeypatch.setattr(workbooks, "find_spec", lambda name: None)
    with pytest.raises(UserError, match=r"openpyxl is needed: pip install 'keras-attn\[excel\]'"):
        open_table(reviews, "data")


def test_a_bomb_is_refused_before_it_is_decompressed(reviews):
    with zipfile.ZipFile(reviews, "a", zipfile.ZIP_DEFLATED) as archive:
        with archive.open("xl/bomb.xml", "w", force_zip64=True) as file:
            for _ in range(65):
                file.write(bytes(1 << 24))
    assert reviews.stat().st_size < 2**21
    with pytest.raises(UserError, match="bytes of decompressed parts, and at most 1,073,741,824"):
        open_table(reviews, "data")


def test_dimensions_that_a_file_states_are_not_believed(reviews, tmp_path):
    changed = tmp_path / "b.xlsx"
    with zipfile.ZipFile(reviews) as old, zipfile.ZipFile(changed, "w") as new:
        for name in old.namelist():
            new.writestr(name, old.read(name).replace(b'ref="A1:E24"', b'ref="A1:XFD1048576"'))
    assert open_table(changed, "data").read().data == open_table(reviews, "data").read().data
