"""JSON that never ends, is nested without end or has another type is refused in one sentence."""

import os
from pathlib import Path

import pytest

from zoo import json_file
from zoo.cli.derived import name_and_value
from zoo.data.readers.files import opened
from zoo.data.readers.json_rows import texts_of
from zoo.data.readers.tables import open_table
from zoo.errors import UserError
from zoo.json_file import parse_json, read_json
from zoo.preprocessing.audio import AudioPreprocessor
from zoo.preprocessing.graphs import GraphPreprocessor
from zoo.preprocessing.images import ImagePreprocessor
from zoo.preprocessing.series import SeriesPreprocessor
from zoo.pretrained.run_folder import is_run_folder
from zoo.report import run_files
from zoo.tasks.config import read_config
from zoo.text import load_tokenizer
from zoo.training.state import TrainingState

DEEP = "[" * 100_000


def pipe(folder):
    os.mkfifo(folder / "pipe")
    return folder / "pipe"


@pytest.mark.parametrize("make", [pipe, lambda folder: Path("/dev/zero"), lambda folder: folder])
def test_what_may_have_no_end_is_not_read(make, tmp_path):
    with pytest.raises(ValueError, match="it is not a regular file"):
        read_json(make(tmp_path), dict)


def test_large_files_are_not_read(tmp_path, monkeypatch):
    monkeypatch.setattr(json_file, "LARGEST", 1 << 20)
    path = tmp_path / "x.json"
    path.write_text('"' + "x" * (1 << 20) + '"')
    with pytest.raises(ValueError, match="it has more than 1 MB"):
        read_json(path, dict)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (DEEP, "it is nested too deeply"),
        ('{"a": [1, -1' + "0" * 400 + "]}", "it has a number of 402 digits"),
        ("[1]", "expected an object, got list"),
        ("{", "Expecting property name"),
        (r'["\ud800"]', "half of a surrogate pair"),
        ("\xff", "codec can't decode byte 0xff"),
    ],
)
def test_other_contents_are_told(text, message, tmp_path):
    path = tmp_path / "x.json"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(ValueError, match=message):
        read_json(path, dict)


READERS = {
    "tokenizer.json": load_tokenizer,
    "config.json": read_config,
    "state.json": lambda folder: TrainingState.read(folder / "state.json"),
    "metrics.json": lambda folder: run_files.read_json(folder / "metrics.json"),
    "audio.json": AudioPreprocessor.load,
    "images.json": ImagePreprocessor.load,
    "features.json": GraphPreprocessor.load,
    "columns.json": SeriesPreprocessor.load,
}


@pytest.mark.parametrize(("name", "read"), READERS.items(), ids=READERS)
def test_so_are_all_files_of_a_run(name, read, tmp_path):
    for text, message in ((DEEP, "nested too deeply"), ("[]", "expected an object, got list")):
        (tmp_path / name).write_text(text)
        with pytest.raises(UserError, match=rf"{name}.*{message}"):
            read(tmp_path)
    (tmp_path / name).unlink()
    os.mkfifo(tmp_path / name)
    with pytest.raises(UserError, match=rf"{name}.*it is not a regular file"):
        read(tmp_path)
    assert not is_run_folder(tmp_path)


def test_so_are_rows_of_data(tmp_path):
    (tmp_path / "a.json").write_text(DEEP)
    with pytest.raises(UserError, match="a.json: .*not JSON: it is nested too deeply"):
        open_table(tmp_path / "a.json", "texts")
    (tmp_path / "a.jsonl").write_text(f'{{"text": "x"}}\n{DEEP}\n')
    table = open_table(tmp_path / "a.jsonl", "texts").read()
    assert table.bad == [(2, "not JSON: it is nested too deeply")] and table.rows() == [("x",)]


def test_a_surrogate_pair_is_a_character():
    assert parse_json(r'["\ud83d\ude42", "\\ud800"]') == ["\U0001f642", r"\ud800"]
    with pytest.raises(ValueError, match="half of a surrogate pair"):
        parse_json(r'{"\uDE42": 1}')


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl", "a.txt.gz", "a.npz"])
def test_data_are_not_read_from_a_pipe(name, tmp_path):
    os.mkfifo(tmp_path / name)
    with pytest.raises(UserError, match=rf"{name} is not a regular file: write the data to a file"):
        with opened(tmp_path / name):
            pass


def test_cells_and_options_that_are_nested_too_deeply_are_text():
    assert texts_of(DEEP) is None
    assert name_and_value("--set", f"x={DEEP}") == ("x", DEEP)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
def test_byte_order_marks(tmp_path, encoding):
    (tmp_path / "a.json").write_bytes('{"ä": [1]}'.encode(encoding))
    assert read_json(tmp_path / "a.json", dict) == {"ä": [1]}
