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


def test_a_block_of_other_columns_is_bad(tmp_path):
    other = ANNOTATIONS.replace(",room", ",door")
    (tmp_path / "a.csv").write_text(f"{ANNOTATIONS}{rows(0, 'temp')}\n{other}{rows(1, 'hum')}")
    with pytest.raises(DataError, match="a.csv:34: expected 10 columns, , result, table"):
        read_series(tmp_path / "a.csv")


def test_other_tables_keep_their_marks(tmp_path):
    (tmp_path / "a.csv").write_text("text,label\n#group of friends,good\n#default,bad\n")
    table = open_table(tmp_path / "a.csv", "data").read()
    assert table.rows() == [("#group of friends", "good"), ("#default", "bad")]
