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
    both = {"one": tmp_path / "a.tsv", "two": tmp_path / "plays", "three": [("in", "memory")]}
    assert digests(both) == wanted
