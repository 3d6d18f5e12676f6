"""The data of a training run are read once, also by a task that has learned from none before."""

from collections import Counter

import numpy as np
import pytest
from typer.testing import CliRunner

import zoo
from zoo.cli.app import app

TEXTS = "".join(f"a {word} film\t{label}\n" for word, label in (("fine", "good"), ("dull", "bad")))
SERIES = "time,shop,sales\n" + "".join(
    f"2024-{1 + i // 28:02}-{1 + i % 28:02},{shop},{i % 7 + len(shop)}\n"
    for shop in ("a", "bb")
    for i in range(60)
)
FIT = {"epochs": 1, "xla": False, "verbose": False}


@pytest.fixture
def reads(monkeypatch):
    """How often each file was read, of each kind of data."""
    counts = Counter()

    def count(kind):
        read = kind.read

        def counted(self, data, settings, learned):
            counts[str(data)] += 1
            return read(self, data, settings, learned)

        monkeypatch.setattr(kind, "read", counted)

    tasks = (zoo.TextClassifier, zoo.SeriesForecaster, zoo.ImageClassifier, zoo.NodeClassifier)
    for kind in {type(task.parts.format) for task in tasks}:
        count(kind)
    return counts


def texts(folder, name="texts.tsv"):
    path = folder / name
    path.write_text(TEXTS * 8)
    return path


def made(kind, folder):
    """A task and its file."""
    if kind == "texts":
        return zoo.TextClassifier(), texts(folder)
    path = folder / f"{kind}.npz"
    if kind == "images":
        images = np.random.default_rng(3).integers(0, 256, (12, 13, 13), "uint8")
        np.savez(path, images=images, labels=np.array(["a", "b", "c"] * 4))
        return zoo.ImageClassifier("stn_classifier", "affine", layers=[[4, 3]]), path
    if kind == "series":
        path = folder / "series.csv"
        path.write_text(SERIES)
        return zoo.SeriesForecaster(horizon=3, context_length=7, series_column="shop"), path
    graph = zoo.Graph(np.eye(6, dtype="float32"), [[0, 1, 2, 3], [1, 2, 0, 4]], labels=[*"aabbab"])
    return zoo.NodeClassifier("gat", "cora"), graph


@pytest.mark.parametrize("held_out", [None, 0.25])
@pytest.mark.parametrize("kind", ["texts", "series", "images", "graph"])
def test_a_fit_reads_once(kind, held_out, reads, tmp_path):
    task, data = made(kind, tmp_path)
    history = task.fit(data, held_out if kind != "graph" else None, **FIT)
    assert len(history.epoch) == 1 and reads == {str(data): 1}


@pytest.mark.parametrize("kind", ["texts", "series", "images"])
def test_adapt_and_fit_read_a_file_once(kind, reads, tmp_path):
    (task, path), (same, _) = made(kind, tmp_path), made(kind, tmp_path)
    task.adapt(path)
    before = task.model
    actual = task.fit(path, 0.25, **FIT).history
    assert reads == {str(path): 1} and task.model is before and task.last_read is None
    assert actual["loss"] == same.fit(path, 0.25, **FIT).history["loss"]


@pytest.mark.parametrize("change", ["file", "settings", "data", "later"])
def test_what_may_have_changed_is_read_again(change, reads, tmp_path):
    task, path = zoo.TextClassifier(), texts(tmp_path)
    task.adapt(path)
    if change == "file":
        path.write_text(TEXTS * 4)
    elif change == "settings":
        task.settings.skip_bad_rows = True
    elif change == "later":
        task.fit(path, **FIT)
    data = texts(tmp_path, "other.tsv") if change == "data" else path
    task.fit(data, **FIT)
    assert reads.total() == 2


def test_rows_in_memory_may_have_changed(reads):
    task, rows = zoo.TextClassifier(), [("a fine film", "good"), ("a dull film", "bad")] * 8
    task.adapt(rows)
    assert task.last_read is None  # the rows are not kept
    rows += [("a new film", "good")]
    task.fit(rows, **FIT)
    assert reads.total() == 2 and task.baselines.majority == "good"


def test_a_fit_that_adapts_begins_anew(reads, tmp_path):
    task, path = zoo.TextClassifier(), texts(tmp_path)
    task.adapt(path)
    before = task.model
    task.fit(path, adapt=True, **FIT)
    assert reads == {str(path): 2} and task.model is not before


@pytest.mark.parametrize("validation", ["0.25", "file"])
def test_the_command_line_reads_each_file_once(validation, reads, tmp_path):
    path, other = texts(tmp_path), texts(tmp_path, "other.tsv")
    given = str(other) if validation == "file" else validation
    arguments = ["train", "text-classifier", "--data", path, "--validation", given, "--no-xla"]
    actual = CliRunner().invoke(
        app, [*map(str, arguments), "--epochs", "1", "--out", str(tmp_path / "run")]
    )
    assert actual.exit_code == 0, actual.stderr
    assert reads == {str(path): 1} | ({given: 1} if validation == "file" else {})
