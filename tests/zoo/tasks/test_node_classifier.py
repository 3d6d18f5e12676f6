"""Node classification where the contract of tasks does not look: several labels, many graphs,
sampling, edges with features, attention."""

from dataclasses import replace

import numpy as np
import pytest

import export
import zoo
from export.worker import artifact
from zoo.data.graphs.graph import Graph
from zoo.data.graphs.read import graph_inputs
from zoo.errors import UserError
from zoo.training.calibration import calibration_of

SMALL = {"hidden_dim": 7, "num_heads": 2, "dropout": 0.0, "attention_dropout": 0.0}
SMALL |= {"normalize_features": False}
FIT = {"learning_rate": 0.05, "xla": False, "verbose": False}


def draw(nodes, seed, several=False, features=False, masks=True):
    """A graph of three kinds of nodes, whose features tell the kind, mostly."""
    random = np.random.default_rng(seed)
    kinds = random.integers(0, 3, nodes)
    x = random.normal(size=(nodes, 5)) + 2.5 * np.eye(3, 5)[kinds]
    edges = random.integers(0, nodes, (2, 6 * nodes))
    edges = edges[:, kinds[edges[0]] == kinds[edges[1]]]
    labels = np.array(["a", "b", "c"])[kinds]
    if several:
        labels = np.stack([kinds == 0, kinds != 1], axis=1).astype(int)
    part = random.random(nodes)
    given = {"train": part < 0.5, "validation": part > 0.8} if masks else {}
    of_edges = random.normal(size=(edges.shape[1], 3)) if features else None
    return Graph(x, edges, labels, **given, edge_features=of_edges)


def trained(data, epochs=30, validation=None, **options):
    task = zoo.NodeClassifier(**SMALL)
    task.adapt(data)
    history = task.fit(data, validation, epochs=epochs, **FIT, **options)
    return task, history


@pytest.fixture(scope="module")
def learned():
    graph = draw(31, 5)
    return graph, trained(graph, 3)[0]


@pytest.mark.thorough
@pytest.mark.parametrize("neighbors", [None, 3])
def test_scores_are_calibrated_on_the_validation_nodes(neighbors, tmp_path):
    """Every second label of these is another, so that no model may be certain."""
    graph = draw(61, 5)
    labels = graph.labels.copy()
    places = np.flatnonzero(graph.part("validation"))[::2]
    labels[places] = np.array(["b", "c", "a"])[np.searchsorted(["a", "b", "c"], labels[places])]
    graph = replace(graph, labels=labels)
    options = {} if neighbors is None else {"neighbors": neighbors, "batch_nodes": 16}
    task, _ = trained(graph, 9, folder=tmp_path / "run", **options)

    (scores,) = task.predict_proba([graph])
    temperature, held_out = task.scaling.temperature, graph.part("validation")
    logits = np.log(scores[held_out]) * temperature
    right = np.searchsorted(task.settings.labels, labels[held_out])
    assert temperature > 1.2
    if neighbors is None:  # of all of them
        assert temperature == pytest.approx(calibration_of(logits, right).temperature, rel=1e-3)

    again = zoo.load(tmp_path / "run")
    assert again.scaling.temperature == temperature
    np.testing.assert_allclose(again.predict_proba([graph])[0], scores, rtol=1e-5)
    export.saved_model(again, tmp_path / "served")
    run = artifact.load(tmp_path / "served" / "1").run
    features = {name: arrays[0] for name, arrays in graph_inputs([graph]).items()}
    taken = {name: features[name] for name in ("nodes", "edges")}
    served = run("serving_default", taken)["scores"]
    np.testing.assert_allclose(served[: len(graph)], scores, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize(("several", "preset"), [(False, "cora"), (True, "ppi")])
def test_the_preset_depends_on_the_labels(several, preset):
    """With that of one label, a graph with many labels was not learned at all."""
    task = zoo.NodeClassifier()
    task.adapt(draw(31, 1, several=several))
    assert task.settings.preset == preset


@pytest.mark.thorough
def test_several_labels_of_a_node():
    graph = draw(61, 1, several=True)
    task, history = trained(graph)
    assert history.monitor == "val_crossentropy" and history.history["val_micro_f1"][-1] > 0.9
    (actual,), (scores,) = task.predict([graph]), task.predict_proba([graph])
    assert actual[0] == [name for name, p in zip("01", scores[0], strict=True) if p >= 0.5]
    said = scores >= 0.5
    true, here = graph.labels > 0, graph.part("test")
    both = (said & true)[here].sum()
    f1 = 2 * both / (said[here].sum() + true[here].sum())
    assert task.evaluate(graph)["micro_f1"] == pytest.approx(f1)
    with pytest.raises(UserError, match="has one labels per node; expected several"):
        task.evaluate(draw(31, 2))


@pytest.mark.thorough
def test_many_graphs_and_others_to_validate_with():
    graphs = [draw(n, n, masks=False) for n in (31, 17, 23, 5, 29)]
    task, history = trained(graphs[:4], 20, graphs[4:], batch_size=3)
    assert history.history["val_accuracy"][-1] > 0.8
    together, alone = task.predict(graphs), [task.predict([graph])[0] for graph in graphs]
    assert together == alone and [len(labels) for labels in together] == [31, 17, 23, 5, 29]
    right = np.array(alone[4]) == graphs[4].labels
    assert task.evaluate(graphs[4])["accuracy"] == pytest.approx(right.mean())


@pytest.mark.thorough
def test_learning_from_sampled_neighbors():
    graph = draw(211, 3)
    task, history = trained(graph, 15, neighbors=3, batch_nodes=37)
    assert history.history["loss"][-1] < 0.5 * history.history["loss"][0]
    assert history.history["val_accuracy"][-1] > 0.9
    assert task.evaluate(graph)["accuracy"] > 0.9  # with all neighbors


@pytest.mark.long
def test_artifacts_of_several_labels(tmp_path):
    graph = draw(61, 1, several=True)
    task, _ = trained(graph, 3)
    said = task.predict_proba([graph])[0] >= 0.5
    assert export.saved_model(task, tmp_path / "served").passed
    run = artifact.load(tmp_path / "served" / "1").run
    x = {name: arrays[0] for name, arrays in graph_inputs([graph]).items()}
    np.testing.assert_array_equal(run("serving_default", x)["labels"], said)


@pytest.mark.long
def test_edges_with_features(tmp_path):
    graph = draw(41, 4, features=True)
    task, _ = trained(graph, 3)
    other = zoo.load(_saved(task, tmp_path / "run"))
    assert other.predict([graph]) == task.predict([graph])
    assert export.litert(other, tmp_path / "graph.tflite").passed
    with pytest.raises(UserError, match="edge_features must have 3 features, as in the training"):
        task.predict([draw(41, 4)])


def _saved(task, folder):
    task.save(folder)
    return folder


@pytest.mark.thorough
def test_attention_of_nodes(learned):
    graph, task = learned
    first, last = task.edge_attention(graph)
    assert first.weights.shape == (graph.edges.shape[1] + 31, 2) and last.weights.shape[1] == 1
    for each in (first, last):
        sums = np.zeros((31, each.weights.shape[1]))
        np.add.at(sums, each.edges[1], each.weights)
        np.testing.assert_allclose(sums, 1, atol=1e-5)
    actual = task.attention(graph)[0]
    edge = 3
    source, target = graph.edges[:, edge]
    own = (graph.edges[0] == source) & (graph.edges[1] == target) & (source != target)
    np.testing.assert_allclose(
        actual.weights[:, target, source], first.weights[:-31][own].sum(axis=0), atol=1e-6
    )
    with pytest.raises(UserError, match="for at most 2000 nodes, and the graph has 2001"):
        task.attention(Graph(np.zeros((2001, 5)), [[0], [1]]))


@pytest.mark.thorough
def test_rows_of_a_report_are_nodes_with_what_is_around_them(learned):
    graph, task = learned
    rows = task.preview(graph, 4)
    (labels,) = task.predict([graph])
    for row in rows:
        node = int(row.source)
        assert row.prediction == labels[node] and row.reference == graph.labels[node]
        assert row.input.ids[0] == row.source
        # The part around a node is all that the model uses for it.
        assert task.predict([row.input])[0][0] == labels[node]


@pytest.mark.thorough
def test_what_is_refused(learned):
    graph, task = learned
    for action, message in [
        (lambda: task.predict(graph), "predict takes a list of graphs; got a single one"),
        (lambda: task.predict("cora"), "predict takes a list of graphs"),
        (lambda: task.predict([Graph(np.eye(3), [[0], [1]])]), "nodes must have 5 features"),
        (lambda: task.attention(graph, beams=2), "has no option 'beams'"),
        (lambda: zoo.NodeClassifier().adapt(Graph(np.eye(3), [[0], [1]])), "has no labels"),
        (lambda: trained(Graph(np.eye(3), [[0], [1]], ["a"] * 3)), "needs at least two"),
        (lambda: task.fit(graph, patience=2, neighbors=0), "neighbors must be an integer of at"),
        (lambda: zoo.NodeClassifier(input_dim=3), "gat has no option 'input_dim'"),
    ]:
        with pytest.raises(UserError, match=message):
            action()
