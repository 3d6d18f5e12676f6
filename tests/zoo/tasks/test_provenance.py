"""The digests of what a task has learned from."""

import hashlib

from zoo.tasks.provenance import CHECKPOINT, LISTED, digests, published, trained_on


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


def test_many_files_are_published_without_their_names(tmp_path):
    folder, few = tmp_path / "faces", tmp_path / "few"
    for number in range(LISTED + 1):
        for own in (folder, few)[: 2 if number < LISTED else 1]:
            own.mkdir(exist_ok=True)
            (own / f"ann-{number}.txt").write_text(str(number), "utf-8")
    known = {**digests(folder), f"{CHECKPOINT}model.safetensors": "0a"}
    public = published(known)
    assert [*public] == [f"faces, {LISTED + 1} files", f"{CHECKPOINT}model.safetensors"]
    assert "ann" not in str(public)
    assert trained_on(folder, public) == trained_on(folder, known) == (LISTED + 1, LISTED + 1)
    assert trained_on(few, public) == (0, LISTED)
    assert published(digests(few)) == digests(few)
