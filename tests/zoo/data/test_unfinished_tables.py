"""Tables that are continued after an interruption."""

import json

import pyarrow as pa
import pytest

from zoo.data import unfinished_tables
from zoo.data.unfinished_tables import continued_table
from zoo.errors import UserError

PARTS = [pa.table({"x": [f"{n}.{i}" for i in range(3)]}) for n in range(4)]
WHOLE = "".join(["x\n", *(f"{n}.{i}\n" for n in range(4) for i in range(3))])


class Stop(BaseException):
    """What Ctrl-C raises is no `Exception`."""


def write(path, key="k", upto=None):
    """Writes the parts; raises after `upto` of all. Returns how many it left out."""
    with continued_table(path, key) as writer:
        done = writer.written.parts
        for part in PARTS[done:upto]:
            writer.write(part)
        if upto is not None:
            raise Stop
    return done


@pytest.mark.parametrize("name", ["t.csv", "t.tsv"])
def test_it_goes_on_where_it_stopped(tmp_path, name):
    path = tmp_path / name
    path.write_text("before")
    for upto in (2, 3):
        with pytest.raises(Stop):
            write(path, upto=upto)
        assert path.read_text() == "before"
        assert (tmp_path / f"partial.{name}").read_text() == WHOLE[: 2 + 12 * upto]
    assert write(path) == 3
    assert path.read_text() == WHOLE
    assert [each.name for each in tmp_path.iterdir()] == [name]
    assert write(path) == 0


def test_what_was_not_recorded_is_written_again(tmp_path, monkeypatch):
    """A process that is killed has written more than its record says, also half of a row."""
    path = tmp_path / "t.csv"
    monkeypatch.setattr(unfinished_tables, "_keep", lambda *_: None)  # as SIGKILL
    with pytest.raises(Stop):
        write(path, upto=3)
    record = json.loads((tmp_path / "partial.t.csv.json").read_text())
    assert (record["parts"], record["rows"], record["size"]) == (1, 3, 14)
    with (tmp_path / "partial.t.csv").open("a") as file:
        file.write('"3.')
    assert write(path) == 1
    assert path.read_text() == WHOLE


def test_two_at_a_time_are_refused(tmp_path):
    path = tmp_path / "t.csv"
    with continued_table(path, "k") as writer:
        writer.write(PARTS[0])
        with (
            pytest.raises(UserError, match=r"another process is writing .*t\.csv: wait until it"),
            continued_table(path, "k"),
        ):
            pass
        for part in PARTS[1:]:
            writer.write(part)
    assert path.read_text() == WHOLE
    assert [each.name for each in tmp_path.iterdir()] == ["t.csv"]


def test_other_rows_begin_anew(tmp_path):
    path = tmp_path / "t.csv"
    with pytest.raises(Stop):
        write(path, "one", 2)
    assert write(path, "other") == 0
    with pytest.raises(Stop):
        write(path, upto=2)
    (tmp_path / "partial.t.csv").write_text("x\n")  # shorter than the record says
    assert write(path) == 0 and path.read_text() == WHOLE
    with pytest.raises(Stop):
        write(path, upto=2)
    (tmp_path / "partial.t.csv.json").write_text("{")
    assert write(path) == 0 and path.read_text() == WHOLE
    (tmp_path / "other.txt").write_text("kept")
    (tmp_path / "partial.t.csv").symlink_to(tmp_path / "other.txt")
    assert write(path) == 0 and (tmp_path / "other.txt").read_text() == "kept"


def test_nothing_is_left_of_what_cannot_go_on(tmp_path):
    for name, key, upto in (("t.parquet", "k", 2), ("t.csv", "", 2), ("t.csv", "k", 0)):
        with pytest.raises(Stop):
            write(tmp_path / name, key, upto)
        assert [*tmp_path.iterdir()] == []
    assert write(tmp_path / "t.parquet") == 0
    assert pa.parquet.read_table(tmp_path / "t.parquet").num_rows == 12
