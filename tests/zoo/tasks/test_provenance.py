"""The digests of what a task has learned from."""

import hashlib

from zoo.tasks.provenance import digests


def test_every_file_has_its_digest_by_its_name(tmp_path):
    (tmp_path / "plays").mkdir()
    files = {"a.tsv": b"a\tb\n", "plays/b.txt": b"to be", "plays/c.txt": b"or not"}
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    wanted = {name: hashlib.sha256(content).hexdigest() for name, content in files.items()}
    first, *plays = wanted.items()
    assert digests(str(tmp_path / "a.tsv")) == dict([first])
    assert digests(tmp_path / "plays") == dict(plays)


def test_files_of_one_name_are_told_by_their_tasks(tmp_path):
    for name in ("mrpc", "rte"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "train.tsv").write_text(name)
    data = {name: tmp_path / name / "train.tsv" for name in ("mrpc", "rte")}
    actual = digests({**data, "third": [("in", "memory")]})
    assert actual == {
        f"{name}/train.tsv": hashlib.sha256(name.encode()).hexdigest() for name in data
    }
