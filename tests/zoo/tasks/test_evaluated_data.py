"""What `evaluate` says of its data: whether it is training data, and which nodes are scored."""

import numpy as np
import pytest

import zoo
from zoo.data.graphs.graph import Graph
from zoo.tasks.provenance import digests

FIT = {"epochs": 1, "xla": False, "verbose": False}


def notes(caplog):
    actual = [record.getMessage() for record in caplog.records]
    caplog.clear()
    return actual


def test_training_data_is_named(tmp_path, caplog):
    rows = "a fine film\tgood\na dull one\tbad\n" * 4
    for name, text in (("train.tsv", rows), ("copy.tsv", rows), ("test.tsv", "a fine one\tgood\n")):
        (tmp_path / name).write_text(text)
    task = zoo.TextClassifier("rnn_classifier", "tiny", embedding_dim=8, units=8)
    task.adapt(tmp_path / "train.tsv")
    task.fit(tmp_path / "train.tsv", **FIT)
    task.save(tmp_path / "run")
    task = zoo.load(tmp_path / "run")
    caplog.clear()
    task.evaluate(tmp_path / "test.tsv")
    assert not notes(caplog)
    task.evaluate(tmp_path / "copy.tsv")  # the contents count
    why = "training data of this model: the metrics do not say how it does on other data"
    assert notes(caplog) == [f"{tmp_path / 'copy.tsv'}: the data is {why}"]
    both = [tmp_path / "train.tsv", tmp_path / "test.tsv"]
    task.evaluate(both)
    assert notes(caplog) == [f"{both[0]}, {both[1]}: 1 of 2 files are {why}"]


LABELS = ["a", "b"] * 6
TESTED = {"train": 5, "validation": 4, "test": 3}


def masks(*names):
    ends = np.cumsum([0, *(TESTED[name] for name in names)])
    places = np.arange(12)
    return {
        n: (places >= i) & (places < j) for n, i, j in zip(names, ends[:-1], ends[1:], strict=True)
    }


@pytest.mark.parametrize(
    ("split", "evaluated", "said"),
    [
        (("train", "validation", "test"), slice(9, 12), "evaluated on 3 test nodes"),
        (("train", "validation"), slice(9, 12), "evaluated on 3 test nodes"),  # those in no mask
        (("train",), slice(5, 12), "evaluated on 7 test nodes"),
        (("test",), slice(0, 3), "evaluated on 3 test nodes"),
        ((), slice(0, 12), "evaluated on all 12 labeled nodes; training nodes are among them: add "
         "a split to the file, or evaluate another"),
    ],
)  # fmt: skip
def test_nodes_that_were_not_trained_on(split, evaluated, said, tmp_path, caplog):
    parts = {**masks(*split)}
    graph = Graph(np.eye(12), [list(range(11)), list(range(1, 12))], LABELS, **parts)
    arrays = {"nodes": graph.nodes, "edges": graph.edges, "labels": np.array(LABELS), **parts}
    np.savez(tmp_path / "graph.npz", **arrays)
    task = zoo.NodeClassifier(hidden_dim=3, num_heads=1)
    task.adapt(tmp_path / "graph.npz")
    task.data = digests(tmp_path / "graph.npz")  # as if it had been trained
    caplog.clear()
    scores = task.evaluate(tmp_path / "graph.npz")
    assert notes(caplog) == [f"{tmp_path / 'graph.npz'}: {said}"]
    (actual,) = task.predict([tmp_path / "graph.npz"])
    right = np.array(actual)[evaluated] == np.array(LABELS)[evaluated]
    assert scores["accuracy"] == pytest.approx(right.mean())


def test_validation_nodes_if_there_are_no_others(tmp_path, caplog):
    places = np.arange(12)
    parts = {"train": places < 7, "validation": places >= 7}
    graph = Graph(np.eye(12), [[0], [1]], LABELS, **parts)
    arrays = {"nodes": graph.nodes, "edges": graph.edges, "labels": np.array(LABELS), **parts}
    np.savez(tmp_path / "graph.npz", **arrays)
    task = zoo.NodeClassifier(hidden_dim=3, num_heads=1)
    task.adapt(tmp_path / "graph.npz")
    task.data = digests(tmp_path / "graph.npz")  # as if it had been trained
    caplog.clear()
    task.evaluate(tmp_path / "graph.npz")
    said = "evaluated on 5 validation nodes; they selected the best epoch"
    assert notes(caplog) == [f"{tmp_path / 'graph.npz'}: {said}"]
