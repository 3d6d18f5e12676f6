"""InfluxDB's annotated CSV is read as a plain table with a column of series."""

import logging
from datetime import datetime, timedelta

import numpy as np
import pytest

from zoo.data.inspection import inspect
from zoo.data.readers.tables import open_table
from zoo.data.series.read import read_series
from zoo.errors import DataError

START, HOUR = datetime(2024, 1, 1), timedelta(hours=1)
ANNOTATIONS = """\
#group,false,false,true,true,false,false,true,true,true
#datatype,string,long,dateTime:RFC3339,dateTime:RFC3339,dateTime:RFC3339,double,string,string,string
#default,mean,,,,,,,,Hall
,result,table,_start,_stop,_time,_value,_field,_measurement,room
"""
STOP = "2024-01-01T00:00:00Z,2024-02-01T00:00:00Z"


def rows(table, field, room="", end="\n"):
    times = [f"{START + n * HOUR:%Y-%m-%dT%H:%M:%SZ}" for n in range(24)]
    each = [f",,{table},{STOP},{x},{n + 50 * table},{field},home,{room}"
            for n, x in enumerate(times)]  # fmt: skip
    return "".join(row + end for row in each)


FILES = {
    "one block": ANNOTATIONS + rows(0, "temp") + rows(1, "hum"),
    "two blocks": f"{ANNOTATIONS}{rows(0, 'temp')}\n{ANNOTATIONS}{rows(1, 'hum')}",
    "CRLF": f"{ANNOTATIONS}{rows(0, 'temp')}\n{ANNOTATIONS}{rows(1, 'hum')}".replace("\n", "\r\n"),
}


@pytest.mark.parametrize("name", FILES)
def test_each_group_is_a_series(tmp_path, name, caplog):
    logging.getLogger("keras_attn").propagate = True
    (tmp_path / "a.csv").write_text(FILES[name], newline="")
    actual = read_series(tmp_path / "a.csv")
    assert [each.name for each in actual.series] == ["temp home Hall", "hum home Hall"]
    for number, each in enumerate(actual.series):
        np.testing.assert_array_equal(each.values[:, 0], np.arange(24) + 50 * number)
    assert (actual.targets, actual.clock.step) == (["_value"], 3600)
    assert "annotations are no rows; series = _field, _measurement, room" in caplog.text
    assert inspect(tmp_path / "a.csv").task == "series-forecaster"


def test_files_for_writing(tmp_path):
    text = "#datatype measurement,tag,double,dateTime:RFC3339\nm,host,used,time\n"
    lines = [f"mem,{host},{n},{START + n * HOUR:%Y-%m-%dT%H:%M:%SZ}\n"
             for host in "ab" for n in range(24)]  # fmt: skip
    (tmp_path / "a.csv").write_text(text + "".join(lines))
    actual = read_series(tmp_path / "a.csv")
    assert [each.name for each in actual.series] == ["mem a", "mem b"]


def block(columns, field="hum", tags=("cellar",), value="double"):
    """A table of a field whose values are 50 to 73, with its columns in an order of its own."""
    cells = {"result": "", "table": "1", "_value": "", "_time": "", "_field": field}
    cells |= {"_measurement": "home"} | dict(zip(("door", "floor"), tags, strict=False))
    grouped = [str(name in ("_field", "_measurement", "door", "floor")).lower() for name in columns]
    kinds = {"_value": value, "_time": "dateTime:RFC3339"}
    lines = [
        ",".join(["#group", *grouped]),
        ",".join(["#datatype", *(kinds.get(name, "string") for name in columns)]),
        ",".join(["#default", *([""] * len(columns))]),
        ",".join(["", *columns]),
    ]
    for n in range(24):
        cells |= {"_time": f"{START + n * HOUR:%Y-%m-%dT%H:%M:%SZ}", "_value": f"{n + 50}"}
        lines.append(",".join(["", *(cells[name] for name in columns)]))
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize(
    ("columns", "name"),
    [
        (
            ["result", "table", "_time", "_value", "_field", "_measurement", "door"],
            "hum home cellar",
        ),
        (["result", "table", "_value", "_time", "_field", "_measurement"], "hum home"),
        (["_measurement", "_value", "door", "_time", "_field"], "home cellar hum"),
        (["table", "_time", "floor", "door", "_value", "_field"], "2 cellar hum"),
    ],
)
@pytest.mark.parametrize("empty_line", ["", "\n"])
def test_a_block_with_other_tags_goes_by_its_own_names(tmp_path, columns, name, empty_line):
    other = block(columns, tags=("cellar", "2"))
    (tmp_path / "a.csv").write_text(f"{ANNOTATIONS}{rows(0, 'temp')}{empty_line}{other}")
    actual = read_series(tmp_path / "a.csv")
    assert [each.name for each in actual.series] == ["temp home Hall", name]
    for number, each in enumerate(actual.series):
        np.testing.assert_array_equal(each.values[:, 0], np.arange(24) + 50 * number)
    assert inspect(tmp_path / "a.csv").task == "series-forecaster"


@pytest.mark.parametrize(
    "columns",
    [
        ["result", "table", "_time", "_field", "door"],  # no value
        ["result", "table", "_value", "_field", "door"],  # no time
        ["result", "table", "_time", "_value"],  # and no group
    ],
)
def test_a_block_of_other_columns_is_bad(tmp_path, columns):
    (tmp_path / "a.csv").write_text(f"{ANNOTATIONS}{rows(0, 'temp')}\n{block(columns)}")
    reason = "the block of line 33 has other columns than the first: expected _time, _value"
    with pytest.raises(DataError, match=f"a.csv:33: {reason}"):
        read_series(tmp_path / "a.csv")
    table = open_table(tmp_path / "a.csv", "data").read()
    assert (len(table), len(table.bad)) == (24, 25)


def test_a_row_of_another_width_is_bad(tmp_path):
    (tmp_path / "a.csv").write_text(ANNOTATIONS + rows(0, "temp") + ",,0,1,2\n")
    with pytest.raises(DataError, match="a.csv:29: expected 10 columns, , result, table"):
        read_series(tmp_path / "a.csv")


def test_other_tables_keep_their_marks(tmp_path):
    (tmp_path / "a.csv").write_text("text,label\n#group of friends,good\n#default,bad\n")
    table = open_table(tmp_path / "a.csv", "data").read()
    assert table.rows() == [("#group of friends", "good"), ("#default", "bad")]
