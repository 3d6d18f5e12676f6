"""What `evaluate` says of its data: whether it is training data, and which nodes are scored."""

import json
import re

import numpy as np
import pytest

import zoo
from zoo.data.graphs.graph import Graph
from zoo.model_card import model_card
from zoo.page.lead import sentence
from zoo.report import report
from zoo.run_facts import runs_in
from zoo.serving.about import about
from zoo.tasks.measured_on import MeasuredOn, Seen
from zoo.tasks.provenance import digests

FIT = {"epochs": 1, "xla": False, "verbose": False}


def notes(caplog):
    actual = [record.getMessage() for record in caplog.records]
    caplog.clear()
    return actual


def plain(path):
    return re.sub(r"<[^>]+>", "", path.read_text().partition("<body>")[2])


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
    measured = (task.metrics, MeasuredOn("test.tsv"))
    kept = "these metrics are of training data: the run keeps those of test.tsv"
    task.evaluate(tmp_path / "copy.tsv")  # the contents count
    why = "training data of this model: the metrics do not say how it does on other data"
    assert notes(caplog) == [f"{tmp_path / 'copy.tsv'}: the data is {why}", kept]
    both = [tmp_path / "train.tsv", tmp_path / "test.tsv"]
    task.evaluate(both)
    assert notes(caplog) == [f"{both[0]}, {both[1]}: 1 of 2 files are {why}", kept]
    assert (task.metrics, task.evaluated_on) == measured
    task = zoo.load(tmp_path / "run")
    task.evaluate(both)
    assert task.evaluated_on == MeasuredOn("train.tsv test.tsv", Seen.SOME)
    task.evaluate(tmp_path / "train.tsv")
    assert task.evaluated_on == MeasuredOn("train.tsv", Seen.ALL)
    task.save(tmp_path / "run")
    noted = json.loads((tmp_path / "run" / "metrics.json").read_text())
    assert noted == {**task.metrics, "data": "train.tsv", "seen": "the training data"}
    task = zoo.load(tmp_path / "run")
    assert (task.metrics, str(task.evaluated_on)) == (
        {k: x for k, x in noted.items() if k not in ("data", "seen")},
        "train.tsv, the training data",
    )
    on_page = sentence(
        "It answers.", [], {"about": about(task.metrics, str(task.evaluated_on), {})}
    )
    assert on_page == f"It answers. Accuracy {task.metrics['accuracy']:.3g} on {task.evaluated_on}."
    card = model_card(task)
    assert "| measured on | train.tsv, the training data |" in card
    assert "\n\nThe model has learned from these very rows" in card
    (listed,) = runs_in(tmp_path)
    assert listed.measured_on == "train.tsv, the training data"
    page = plain(report(tmp_path / "run"))
    shown = page.index("On train.tsv, the training data. The model has learned from these very")
    assert page.index("accuracy") < shown < page.index("Parameters")
    page = plain(report(tmp_path / "run", data=tmp_path / "test.tsv"))
    assert "test.tsv, the training data" not in page and "these very rows" not in page
    task.evaluate(tmp_path / "test.tsv")
    assert task.evaluated_on == MeasuredOn("test.tsv")


@pytest.mark.parametrize(
    ("validation", "name"), [(0.25, "25% of train.tsv"), ("v.tsv", "v.tsv"), (None, "")]
)
def test_validation_metrics_stay_with_the_run(tmp_path, validation, name):
    rows = "a fine film\tgood\na dull one\tbad\na fine one\tbad\n" * 8
    for each in ("train.tsv", "v.tsv"):
        (tmp_path / each).write_text(rows)
    task = zoo.TextClassifier("rnn_classifier", "tiny", embedding_dim=8, units=8)
    held_out = tmp_path / validation if isinstance(validation, str) else validation
    history = task.fit(tmp_path / "train.tsv", held_out, **FIT)
    task.save(tmp_path / "run")
    task = zoo.load(tmp_path / "run")
    if validation is None:
        assert not task.metrics and task.evaluated_on == MeasuredOn()
        return
    accuracy = history.history["val_accuracy"][0]
    assert task.evaluated_on == MeasuredOn(name, Seen.SELECTED)
    assert task.metrics["accuracy"] == pytest.approx(accuracy)
    assert task.metrics.keys() >= {"accuracy", "majority_accuracy", "tfidf_accuracy"}
    assert "majority_macro_f1" not in task.metrics and "loss" not in task.metrics
    (listed,) = runs_in(tmp_path)
    assert (listed.metrics, listed.measured_on) == ({"val_accuracy": pytest.approx(accuracy)}, "")
    page = plain(report(tmp_path / "run"))
    assert f"On {name}, the validation data. The validation data selected" in page
    assert "metricmodeltfidf" in page.replace("\n", "") and "majority" in page
    task.evaluate(tmp_path / "train.tsv")
    assert task.evaluated_on.seen is Seen.SELECTED


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


def test_the_rows_that_were_held_out_are_evaluated(tmp_path, caplog):
    """Of the file that a part of was held out, as the training itself measured them."""
    random = np.random.default_rng(5)
    rows = [f"film {random.integers(31)} {random.integers(31)}" for _ in range(61)]
    lines = [f"{row}\t{'good' if len(row) % 2 else 'bad'}\n" for row in rows]
    (tmp_path / "train.tsv").write_text("".join(lines))
    task = zoo.TextClassifier("rnn_classifier", "tiny", embedding_dim=8, units=8)
    history = task.fit(tmp_path / "train.tsv", 0.2, **FIT | {"epochs": 3}, seed=11)
    task.save(tmp_path / "run")
    task = zoo.load(tmp_path / "run")
    caplog.clear()
    metrics = task.evaluate(tmp_path / "train.tsv")
    assert metrics["accuracy"] == pytest.approx(history.history["val_accuracy"][-1])
    assert not any("is training data" in note for note in notes(caplog))
    assert task.evaluated_on == MeasuredOn("train.tsv", Seen.SELECTED)
    shown = task.answered(tmp_path / "train.tsv").examples
    assert len(shown) == 12 and {*shown.texts} <= {*rows}
    (tmp_path / "more.tsv").write_text("a film\tgood\n")
    both = task.answered([tmp_path / "train.tsv", tmp_path / "more.tsv"])
    assert both.measured_on.seen == Seen.SOME
