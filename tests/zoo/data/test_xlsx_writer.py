"""Excel workbooks that are written part by part."""

from datetime import UTC, date, datetime

import pyarrow as pa
import pytest

from zoo.data import xlsx_writer
from zoo.data.table_writer import writing_table
from zoo.errors import UserError

openpyxl = pytest.importorskip("openpyxl")


def test_cells_keep_their_types(tmp_path):
    path = tmp_path / "a.xlsx"
    days, numbers = [date(2024, 2, 29)] * 2, [0.5, float("nan")]
    parts = [
        {"n": [1, None], "x": numbers, "text": ["=A1", "+b\0c"], "day": days},
        {"n": [3], "x": [1e300], "text": ["2024"], "day": [None]},
    ]
    with writing_table(path) as writer:
        for part in parts:
            writer.write(pa.table(part))
    sheet = openpyxl.load_workbook(path)["predictions"]
    header, *rows = [[cell.value for cell in row] for row in sheet.iter_rows()]
    assert header == ["n", "x", "text", "day"]
    day = datetime(2024, 2, 29)
    assert rows == [
        [1, 0.5, "=A1", day],
        [None, None, "+bc", day],
        [3, 1e300, "2024", None],
    ]
    assert [row[2].data_type for row in sheet.iter_rows()] == ["s"] * 4


def test_what_a_workbook_cannot_have(tmp_path, monkeypatch):
    """Times of zones become texts; too many rows leave the file as it was."""
    path = tmp_path / "a.xlsx"
    moment = datetime(2024, 1, 31, 12, tzinfo=UTC)
    with writing_table(path) as writer:
        writer.write(pa.table({"at": [moment], "several": [["a", "b"]]}))
    (_, row) = openpyxl.load_workbook(path)["predictions"].iter_rows(values_only=True)
    assert row == ("2024-01-31 12:00:00+00:00", "['a', 'b']")
    before = path.read_bytes()
    monkeypatch.setattr(xlsx_writer, "MOST_ROWS", 3)
    with (
        pytest.raises(UserError, match="a sheet has at most 3 rows"),
        writing_table(path) as writer,
    ):
        writer.write(pa.table({"n": [1, 2, 3]}))
    assert path.read_bytes() == before and [*tmp_path.iterdir()] == [path]
