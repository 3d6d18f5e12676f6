"""A run is resumed with the data that it was trained with, or tells where the others began."""

import gzip
import json
import shutil
import struct
from pathlib import Path

import numpy as np
import pytest

import zoo
from zoo.data.series.series import Series
from zoo.errors import UserError
from zoo.model_card import model_card
from zoo.tasks.config import to_resume
from zoo.tasks.fingerprint import fingerprint
from zoo.tasks.provenance import digests
from zoo.untrusted import sha256

ROWS = [
    (f"{first} {second} {third}", "good" if "fine" in (first, second) else "bad")
    for first in ("fine", "dull", "odd")
    for second in ("film", "fine", "tree")
    for third in ("one", "two")
]
SWAPPED = [(text, {"good": "bad", "bad": "good"}[label]) for text, label in ROWS]
HOW = {"xla": False, "verbose": False, "warmup": 2}


def write(path: Path, rows: list[tuple[str, str]]) -> Path:
    path.write_text("".join(f"{text}\t{label}\n" for text, label in rows))
    return path


def train(folder: Path, data, validation, epochs: int, **options):
    if options.get("resume"):
        task = zoo.load(to_resume(folder))
    else:
        task = zoo.TextClassifier("ngram_classifier", max_length=9)
        task.adapt(data)
    task.fit(data, validation, folder=folder, epochs=epochs, **options, **HOW)
    task.save(folder)
    return task


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    folder = tmp_path_factory.mktemp("data")
    data = {name: write(folder / f"{name}.tsv", ROWS) for name in ("train", "val")}
    train(folder / "run", data["train"], data["val"], 1)
    return folder / "run", data


@pytest.fixture
def run(trained, tmp_path):
    """A run of one epoch, and its files of data, which may be changed."""
    folder, data = trained
    for path in data.values():
        write(path, ROWS)
    return shutil.copytree(folder, tmp_path / "run"), data


def config(folder: Path) -> dict:
    return json.loads((folder / "config.json").read_text())


def test_a_changed_file_is_refused(run, attack):
    (folder, data), tried = run, attack("changed data at resume", "run")
    before = config(folder)
    write(data["train"], SWAPPED)
    message = (
        rf"the training data \({data['train']}\) is not what the run in {folder} was trained with: "
        "resume with the same data, or, if the weights should come from both, use "
        "allow_other_data=True or --allow-other-data"
    )
    for given in (data["train"], None):
        with pytest.raises(UserError, match=message):
            train(folder, given, None, 2, resume=True)
        tried()
    write(data["val"], SWAPPED)
    with pytest.raises(UserError, match=r"the training data \(.*\) and the validation data \(.*\) "
                       "are not what"):  # fmt: skip
        train(folder, None, None, 2, resume=True)
    assert config(folder) == before and zoo.load(folder).data == {
        "train.tsv": before["data"]["train.tsv"]
    }


def test_changed_validation_data_is_refused(run):
    folder, data = run
    write(data["val"], ROWS[::-1])
    with pytest.raises(UserError, match=r"the validation data \(.*val.tsv\) is not what"):
        train(folder, None, None, 2, resume=True)
    with pytest.raises(UserError, match=r"the validation data \(data in memory\) is not what"):
        train(folder, None, 0.5, 2, resume=True)


def test_other_data_that_is_allowed_is_recorded_with_its_epoch(run):
    folder, data = run
    first = sha256(data["train"])
    other = sha256(write(data["train"], SWAPPED))
    task = train(folder, None, None, 2, resume=True, allow_other_data=True)
    wanted = {"train.tsv": first, "train.tsv (from epoch 2)": other}
    assert task.data == config(folder)["data"] == wanted
    card = model_card(zoo.load(folder))
    assert f"| train.tsv | {first} |" in card
    assert f"| train.tsv (from epoch 2) | {other} |" in card
    log = (folder / "log.txt").read_text()
    assert f"other training data from epoch 2: {data['train']}" in log

    # From now on, that is the data, and the record stays.
    assert train(folder, None, None, 3, resume=True).data == wanted
    write(data["val"], SWAPPED)
    task = train(folder, None, None, 4, resume=True, allow_other_data=True)
    assert task.data.keys() == {*wanted, "validation data", "validation data (from epoch 4)"}


def test_the_same_data_elsewhere_is_the_same(run, tmp_path):
    folder, data = run
    (tmp_path / "moved").mkdir()
    moved = {name: path.rename(tmp_path / "moved" / f"{name}.tsv") for name, path in data.items()}
    task = train(folder, moved["train"], moved["val"], 2, resume=True)
    assert task.data == config(folder)["data"] == {"train.tsv": sha256(moved["train"])}


def test_data_in_memory(tmp_path):
    folder = tmp_path / "run"
    train(folder, ROWS, ROWS[::2], 1)
    with pytest.raises(UserError, match=r"the training data \(data in memory\) is not what"):
        train(folder, SWAPPED, ROWS[::2], 2, resume=True)
    with pytest.raises(UserError, match="the validation data of text-classifier was in memory"):
        train(folder, ROWS, None, 2, resume=True)
    assert train(folder, [list(row) for row in ROWS], ROWS[::2], 2, resume=True).data == {}
    task = train(folder, SWAPPED, ROWS[::2], 3, resume=True, allow_other_data=True)
    wanted = [fingerprint(rows) for rows in (ROWS, SWAPPED)]
    assert [*task.data.items()] == [
        ("training data", wanted[0]),
        ("training data (from epoch 3)", wanted[1]),
    ]


def test_a_run_of_an_older_version_has_the_digests_of_its_files(run, monkeypatch):
    folder, data = run
    actual = config(folder)
    del actual["files"]["sha256"], actual["sha256"]  # of the data, and of the config
    (folder / "config.json").write_text(json.dumps(actual))
    write(data["train"], SWAPPED)
    with pytest.raises(UserError, match=r"the training data \(.*train.tsv\) is not what"):
        train(folder, None, None, 2, resume=True)
    write(data["train"], ROWS)
    train(folder, None, None, 2, resume=True)


def test_other_data_before_the_first_checkpoint(run, monkeypatch):
    folder, data = run
    (folder / "config.json").unlink()
    for path in (folder / "checkpoints").iterdir():
        path.unlink()
    task = zoo.TextClassifier("ngram_classifier", max_length=9)
    task.adapt(data["train"])
    monkeypatch.setattr("zoo.training.epochs.build_metrics", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        task.fit(data["train"], data["val"], folder=folder, epochs=1, **HOW)
    monkeypatch.undo()
    write(data["train"], SWAPPED)
    with pytest.raises(UserError, match=r"the training data \(.*train.tsv\) is not what"):
        train(folder, None, None, 1, resume=True)
    task = train(folder, None, None, 1, resume=True, allow_other_data=True)
    assert [*task.data] == ["train.tsv", "train.tsv (from epoch 1)"]


def test_what_a_fingerprint_depends_on(tmp_path):
    """On the content and the order, not on names and types that mean the same."""
    pixels, series = np.arange(12, dtype="uint8").reshape(3, 4), Series(np.ones((3, 1)))
    different = [
        [("a", "x")], [("a", "y")], [("ax", "")], [("a", "x"), ("a", "x")], ["a", "x"], [], 0.1,
        [(pixels, "x")], [(pixels.T, "x")], [(pixels.astype("int8"), "x")], [(pixels + 1, "x")],
        {"ds": ["2024"], "y": [1.0]}, {"ds": ["2024"], "y": [2.0]}, {"ds": ["2024"], "z": [1.0]},
        [series], [Series(np.ones((3, 1)), name="b")], np.ones(3), np.ones(4), [b"a"], [b"b"],
        [("\ud800", "x")], [(float("nan"), "x")],
    ]  # fmt: skip
    actual = [fingerprint(each) for each in different]
    assert None not in actual and len({*actual}) == len(actual)
    assert fingerprint([("a", "x")] * 10_001) != fingerprint([("a", "x")] * 10_002)
    assert fingerprint({"y": [1.0], "ds": ["2024"]}) == fingerprint({"ds": ["2024"], "y": [1.0]})
    assert fingerprint(None) is None and fingerprint([object()]) is None
    one, two = tmp_path / "one", tmp_path / "two"
    for folder in (one, two):
        (folder / "a").mkdir(parents=True)
        (folder / "b").mkdir()
        (folder / "a" / "x.txt").write_text("to be")
        (folder / "b" / "y.txt").write_text("or not")
    assert fingerprint(one) == fingerprint(str(two)) == fingerprint([two])
    assert fingerprint(str(one / "*" / "*.txt")) == fingerprint(sorted(one.glob("*/*.txt")))
    (two / "a" / "x.txt").rename(two / "b" / "x.txt")
    assert fingerprint(one) != fingerprint(two)


def test_files_of_one_name_have_their_folders(tmp_path):
    for name in ("en", "de"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "train.tsv").write_text(name)
    paths = [tmp_path / name / "train.tsv" for name in ("en", "de")]
    assert digests(paths) == {f"{path.parent.name}/train.tsv": sha256(path) for path in paths}
    assert digests([paths[0]] * 2) == {"train.tsv": sha256(paths[0])}


def png(path: Path, value: int) -> None:
    import tensorflow as tf

    image = np.full((4, 4, 1), value, np.uint8)
    path.write_bytes(tf.io.encode_png(image).numpy())


def test_files_that_data_name_or_lie_beside_count(tmp_path):
    """Images of a table and of a folder with a text in it, and the labels of an idx file."""
    classifier, captioner = zoo.ImageClassifier(), zoo.ImageCaptioner()
    for name in ("a", "b"):
        (tmp_path / "signs" / name).mkdir(parents=True)
        png(tmp_path / "signs" / name / "1.png", 3)
    (tmp_path / "signs" / "README.txt").write_text("signs")
    table = write(tmp_path / "captions.tsv", [("signs/a/1.png", "dark"), ("signs/b/1.png", "grey")])
    images, labels = (tmp_path / f"train-{x}-ubyte.gz" for x in ("images-idx3", "labels-idx1"))
    images.write_bytes(gzip.compress(struct.pack(">4I", 0x803, 2, 4, 4) + bytes(32)))
    labels.write_bytes(gzip.compress(struct.pack(">2I", 0x801, 2) + bytes([0, 1])))

    def of(task, data) -> str | None:
        return fingerprint(data, task.read(data).files)

    before = [of(classifier, tmp_path / "signs"), of(captioner, table), of(classifier, images)]
    read = classifier.read(tmp_path / "signs").files
    names = digests(tmp_path / "signs", read)
    assert [*names] == ["signs/a/1.png", "signs/b/1.png"]
    png(tmp_path / "signs" / "a" / "1.png", 5)
    labels.write_bytes(gzip.compress(struct.pack(">2I", 0x801, 2) + bytes([1, 0])))
    after = [of(classifier, tmp_path / "signs"), of(captioner, table), of(classifier, images)]
    assert not {*before} & {*after}
