"""`prepare`, and `train` on what it writes."""

import gzip
import json

import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet
import pytest

from tests.zoo.test_cli import refused, run
from tests.zoo.test_cli_data import HOW, ROWS, table

HEADER = ("text", "label")
PREPARE = ["prepare", "text-classifier", "--processes", 1]
SETTINGS = ["--model", "rnn_classifier", "--max-length", 13]


@pytest.fixture(autouse=True)
def corpus(monkeypatch, tmp_path):
    """The rows in files of four kinds."""
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "corpus"
    folder.mkdir()
    parts = [ROWS[start::4] for start in range(4)]
    arrow = [pa.table(dict(zip(HEADER, zip(*part, strict=True), strict=True))) for part in parts]
    (folder / "a.csv.gz").write_bytes(gzip.compress(table(parts[0], header=HEADER).encode()))
    pa.parquet.write_table(arrow[1], folder / "b.parquet")
    with pa.ipc.new_file(folder / "c.arrow", arrow[2].schema) as file:
        file.write_table(arrow[2])
    with pa.ipc.new_stream(folder / "d.arrow", arrow[3].schema) as file:
        file.write_table(arrow[3])
    return folder


def done(*arguments):
    result = run(*arguments)
    assert result.exit_code == 0, result.output
    return result.stdout


def settings(folder):
    actual = json.loads((folder / "config.json").read_text())["settings"]
    return {name: value for name, value in actual.items() if name != "data"}


@pytest.mark.thorough
def test_a_run_on_prepared_data_is_that_on_the_files(corpus, tmp_path):
    out = done(*PREPARE, *SETTINGS, "--data", "corpus/*", "--out", "shards")
    assert out.startswith(f"shards: {len(ROWS)} rows\n")
    assert "keras-attn train text-classifier --data shards" in out
    more = ["--data", "corpus/a.csv.gz", "--data", "corpus/c.arrow", "--like", "shards"]
    actual = json.loads(done(*PREPARE, *more, "--out", "more", "--json"))
    assert actual == {"folder": "more", "rows": len(ROWS[::2])}

    done("train", "text-classifier", *HOW, "--data", "shards", "--validation", "more", "--out", "a")
    done("train", "text-classifier", *HOW, "--data", "corpus/*", "--out", "b")
    assert settings(tmp_path / "a") == settings(tmp_path / "b")
    vocabularies = [
        sorted(path.read_bytes() for path in (tmp_path / name / "tokenizer").iterdir())
        for name in "ab"
    ]
    assert vocabularies[0] == vocabularies[1]
    scores = json.loads(done("evaluate", "a", "--data", "corpus/*", "--json"))
    assert 0 <= scores["accuracy"] <= 1


@pytest.mark.thorough
def test_what_is_prepared_is_not_replaced(tmp_path):
    command = [*PREPARE, *SETTINGS, "--data", "corpus/*", "--out", "shards"]
    done(*command)
    content = {path: path.read_bytes() for path in (tmp_path / "shards").rglob("*.npy")}
    assert refused(*command) == "shards already contains prepared data: choose another folder"
    assert content == {path: path.read_bytes() for path in content} and content


def test_what_it_refuses(tmp_path):
    line = refused(*PREPARE, "--data", "corpus/*", "--out", "x", "--like", "y", "--pretrained", "z")
    assert line == "--like and --pretrained cannot be combined"
    again = ["--data", "corpus/*", "--out", "x", "--like", "y", "--vocabulary-size", 50]
    assert refused(*PREPARE, *again) == "--like determines the vocabulary size: leave it out"
    assert "nothing" in refused(*PREPARE, "--data", "nothing/*.csv", "--out", "x")
    assert not (tmp_path / "x").exists()
