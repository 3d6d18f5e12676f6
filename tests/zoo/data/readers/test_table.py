"""Tables with typed columns: what a file says of its types is kept, with the line of each row."""

from datetime import UTC, date, datetime

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

from zoo.data.readers import tables
from zoo.data.readers.column_finder import ColumnFinder
from zoo.data.readers.column_names import ColumnNames, ReadOptions
from zoo.data.readers.memory_tables import table_in_memory
from zoo.data.readers.number_columns import plain_numbers
from zoo.data.readers.tables import open_table
from zoo.errors import DataError, UserError

COLUMNS = {
    "count": pa.array([3, None, 2**53 + 1]),
    "share": pa.array([0.5, float("nan"), None]),
    "day": pa.array([date(2024, 1, 31), None, date(2024, 2, 1)]),
    "at": pa.array([datetime(2024, 1, 31, 12, tzinfo=UTC)] * 3, pa.timestamp("ms", "UTC")),
    "open": pa.array([True, False, None]),
    "kind": pa.array(["a", "b", "a"]).dictionary_encode(),
    "raw": pa.array([b"\xc3\xa9", b"x", None]),
}
TEXTS = {
    "count": ["3", "", "9007199254740993"],
    "share": ["0.5", "", ""],
    "day": ["2024-01-31", "", "2024-02-01"],
    "at": ["2024-01-31 12:00:00+00:00"] * 3,
    "open": ["True", "False", ""],
    "kind": ["a", "b", "a"],
    "raw": ["é", "x", ""],
}


def test_parquet_keeps_its_types(tmp_path):
    pa.parquet.write_table(pa.table(COLUMNS), tmp_path / "a.parquet")
    table = open_table(tmp_path / "a.parquet", "rows").read()
    kinds = dict(zip(table.names, table.data.schema.types, strict=True))
    assert kinds == {name: x.type for name, x in COLUMNS.items()} | {"kind": pa.string()}
    assert table.lines.tolist() == [1, 2, 3]
    assert {name: table.texts(i) for i, name in enumerate(table.names)} == TEXTS


@pytest.mark.parametrize("rows", [1, 2, 5, 100])
def test_batches_of_any_size_make_the_same_table(rows, tmp_path, monkeypatch):
    monkeypatch.setattr(tables, "BATCH_ROWS", rows)
    path = tmp_path / "a.csv"
    path.write_text('text,label\n"a\nb",x\n\nc,y\nonly\nd,x\n')
    reader = open_table(path, "rows")
    batches = list(reader.batches)
    assert len(batches) == -(-5 // rows)
    table = tables.joined([*batches])
    assert table.rows() == [("a\nb", "x"), ("c", "y"), ("d", "x")]
    assert table.lines.tolist() == [2, 5, 7] and table.blank == 1
    assert table.bad == [(6, "expected 2 columns, found 1")]


def test_rows_with_an_invalid_cell_can_be_left_out(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text(
        '{"a": "x", "b": 1}\n{"a": "y"}\n[]\n{"a": ["z"], "b": 2}\n{"a": "w", "b": 3}\n'
    )
    table = open_table(path, "rows").read()
    with pytest.raises(DataError, match=r'a\.jsonl:2: no "b"; the keys are "a"'):
        table.without_bad(skip=False)
    valid, skipped = table.without_bad(skip=True)
    assert (valid.rows(), valid.lines.tolist(), skipped) == ([("x", "1"), ("w", "3")], [1, 5], 3)


def test_columns_in_memory_have_the_type_of_their_values():
    table = table_in_memory({"n": [1, None], "mixed": [1, 2.5], "when": [date(2024, 1, 1)] * 2})
    assert table.data.schema.types == [pa.int64(), pa.string(), pa.date32()]
    assert table.rows() == [("1", "1", "2024-01-01"), ("", "2.5", "2024-01-01")]
    with pytest.raises(UserError, match="the column text has half of a surrogate pair"):
        table_in_memory({"text": ["a\ud800"]})


@pytest.mark.parametrize(
    ("cells", "numbers"),
    [
        ([" 2.5", "", "-1e3"], [2.5, np.nan, -1000]),
        (["0.1", "123456789.123456789"], [0.1, 123456789.123456789]),
        (["1,5", "2"], None),
        (["nan", "2"], None),
        ([True, None, False], [1, np.nan, 0]),
        ([2**63 - 1, None], [float(2**63 - 1), np.nan]),
        ([date(2024, 1, 1)], None),
    ],
)
def test_plain_numbers(cells, numbers):
    actual = plain_numbers(pa.chunked_array([cells]))
    if numbers is None:
        assert actual is None
    else:
        np.testing.assert_array_equal(actual, np.array(numbers, "float64"))


def test_one_finder_for_given_and_usual_names():
    table = table_in_memory({"Sales": [1], "when": [2], "date": [3], "DS": [4]})
    finder = ColumnFinder(table, "series")
    assert finder.usual(("date", "ds", "time")) == ["date", "DS"]
    assert finder.take(None, ("ds", "date"), "time").to_pylist() == [4]
    assert finder.take("sales", (), "target").to_pylist() == [1]
    assert list(finder.left) == ["when", "date"]
    message = "has no column sales: name the target of series with target_column; the columns are "
    with pytest.raises(UserError, match=message + "when, date"):
        finder.take("sales", (), "target")


def test_names_and_reading_are_picked_from_options():
    options = {"label_column": "stars", "encoding": "cp1252", "epochs": 3, "text_column": None}
    assert ReadOptions.of(options) == ReadOptions(ColumnNames(label="stars"), "cp1252", False)
    assert ReadOptions.of({"skip_bad_rows": True}).skip_bad_rows
