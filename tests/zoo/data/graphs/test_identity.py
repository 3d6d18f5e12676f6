"""Graphs without features, in the forms that other programs write them, and what is learned."""

import numpy as np
import pytest

import zoo
from tests.zoo.data.graphs.karate import CLUBS, EDGES
from zoo.data.graphs import identity
from zoo.data.graphs.graph import Graph
from zoo.data.graphs.identity import has_poor_features, with_identity
from zoo.data.graphs.read import read_graphs
from zoo.data.inspection import inspect
from zoo.errors import UserError

PAIRS = "".join(f"{a},{b}\n" for a, b in EDGES)
MEMBERS = "".join(f"{member},{club}\n" for member, club in enumerate(CLUBS))
FORMS = {
    "bare edges, names of other columns": (
        {"edges.csv": PAIRS, "nodes.csv": f"member,club\n{MEMBERS}"}
    ),
    "labels of some": ({"edges.csv": f"from,to\n{PAIRS}", "labels.csv": f"id,label\n{MEMBERS}"}),
    "labels without names": ({"edges.csv": PAIRS, "labels.csv": MEMBERS}),
    "numbers for labels": {
        "edges.tsv": f"a,b\n{PAIRS}".replace(",", "\t"),
        "nodes.tsv": "".join(
            f"{member}\t{club}\n"
            for member, club in [("name", "side"), *enumerate(map(len, CLUBS))]
        ),
    },
    "NetworkX": {
        "edges.edgelist": "".join(f"{a} {b} {{'weight': 3}}\n" for a, b in EDGES),
        "labels.csv": MEMBERS,
    },
    "SNAP": {
        "edges.txt": "# FromNodeId\tToNodeId\n" + PAIRS.replace(",", "\t"),
        "labels.csv": MEMBERS,
    },
    "in another order": {
        "edges.csv": PAIRS,
        "nodes.csv": "club,member\n" + "".join(f"{x},{i}\n" for i, x in enumerate(CLUBS)),
    },
}


@pytest.mark.parametrize("name", FORMS)
def test_edges_and_labels_are_a_graph(name, tmp_path):
    for file, content in FORMS[name].items():
        (tmp_path / file).write_text(content)
    for path in (tmp_path, *(tmp_path / file for file in FORMS[name])):
        (graph,) = read_graphs(path).graphs
        assert len(graph) == 34 and graph.edges.shape == (2, 156) and graph.edge_features is None
        order = [graph.names.index(str(member)) for member in range(34)]
        wanted = [str(len(x)) for x in CLUBS] if name.startswith("numbers") else CLUBS
        assert graph.labels[order].tolist() == wanted
        assert graph.nodes.shape == (34, 0)
        assert inspect(path).task == "node-classifier"


def test_nodes_that_only_edges_name(tmp_path):
    (tmp_path / "edges.csv").write_text(PAIRS)
    (tmp_path / "labels.csv").write_text("id,label,split\n33,Officer,train\n0,Mr. Hi,\n")
    (graph,) = read_graphs(tmp_path).graphs
    assert graph.ids[:4] == ["33", "0", "1", "2"] and len(graph) == 34
    assert graph.known.sum() == 2 and graph.train.sum() == 1 and graph.part("test").sum() == 1
    (tmp_path / "labels.csv").unlink()
    (graph,) = read_graphs(tmp_path / "edges.csv").graphs
    with pytest.raises(
        UserError, match="has no labels, from which a node classifier learns: write"
    ):
        zoo.NodeClassifier().adapt(tmp_path / "edges.csv")


def test_features_that_follow_from_edges():
    edges = np.array(EDGES).T
    degrees = np.bincount(edges.ravel(), minlength=34)
    some = np.random.default_rng(0).normal(size=34)
    for columns, poor in [
        ([degrees], True),
        ([degrees / 33, np.log(degrees), np.ones(34)], True),
        ([np.bincount(edges[0], minlength=34)], True),
        ([some], False),
        ([degrees, some], False),
        ([np.arange(34)], False),
    ]:
        graph = Graph(np.stack(columns, 1), edges)
        assert has_poor_features(graph) == poor
        assert has_poor_features(graph.undirected()) == poor or len(columns) == 1


def test_a_large_graph_has_random_features(monkeypatch):
    monkeypatch.setattr(identity, "MOST", 5)
    actual = with_identity(Graph(np.zeros((7, 0)), [[0], [1]])).nodes
    products = actual @ actual.T
    np.testing.assert_allclose(products, np.eye(7), atol=0.2)


@pytest.fixture(scope="module")
def club(tmp_path_factory):
    folder = tmp_path_factory.mktemp("club")
    (folder / "edges.csv").write_text(PAIRS)
    parts = {0: "train", 33: "train", 1: "train", 32: "train"}
    rows = (f"{member},{club},{parts.get(member, 'test')}\n" for member, club in enumerate(CLUBS))
    (folder / "nodes.csv").write_text("member,club,split\n" + "".join(rows))
    task = zoo.NodeClassifier(dropout=0.0, attention_dropout=0.0)
    task.adapt(folder)
    task.fit(folder, epochs=60, learning_rate=0.02, xla=False, verbose=False)
    return folder, task


def test_the_club_is_learned_from_two_members_of_each_side(club):
    """Half of the members follow the more frequent leader."""
    folder, task = club
    assert task.settings.identity and task.preprocessor.num_features == 34
    assert task.evaluate(folder)["accuracy"] > 0.85
    with pytest.raises(UserError, match="has 33 nodes; the model knows the 34 nodes of its trai"):
        task.predict([Graph(np.zeros((33, 0)), [[0], [1]])])
    with pytest.raises(UserError, match="has no features of nodes; without features, train on one"):
        zoo.NodeClassifier().adapt([Graph(np.zeros((2, 0)), [[0], [1]], ["a", "b"])] * 2)


def test_a_saved_run_tells_nodes_by_their_ids(club, tmp_path):
    folder, task = club
    task.save(tmp_path / "run")
    loaded = zoo.load(tmp_path / "run")
    header, *rows = (folder / "nodes.csv").read_text().splitlines()
    (tmp_path / "nodes.csv").write_text("\n".join([header, *rows[::-1]]) + "\n")
    (tmp_path / "edges.csv").write_text(PAIRS)
    (before,), (after,) = task.predict_named([folder]), loaded.predict_named([tmp_path])
    assert after == before and list(after) != list(before)


def test_rich_features_stay_and_identity_may_be_asked_for():
    random = np.random.default_rng(0)
    graph = Graph(random.normal(size=(34, 3)), np.array(EDGES).T, CLUBS)
    for given, size in ((None, 3), (True, 34)):
        task = zoo.NodeClassifier(identity=given)
        task.adapt(graph)
        assert task.preprocessor.num_features == size and task.settings.identity is (size == 34)


def test_many_nodes_get_the_vectors_of_one_draw(monkeypatch):
    monkeypatch.setattr(identity, "MOST", 4)
    monkeypatch.setattr(identity, "BLOCK", 3)
    names = [str(n) for n in np.random.default_rng(1).permutation(10)]
    graph = with_identity(Graph(np.zeros((10, 0)), [[0], [1]], ids=names))
    drawn = np.random.default_rng(0).normal(size=(10, 512)) / np.sqrt(512)
    np.testing.assert_array_equal(graph.nodes, drawn.astype("float32")[[int(n) for n in names]])


def test_too_many_nodes(monkeypatch):
    monkeypatch.setattr(identity, "MOST", 2)
    monkeypatch.setattr(identity, "MAX_FEATURES", 4 * 512 * 3)
    assert with_identity(Graph(np.zeros((3, 0)), [[0], [1]])).nodes.shape == (3, 512)
    with pytest.raises(UserError, match="its 4 nodes are too many to learn a vector for each"):
        with_identity(Graph(np.zeros((4, 0)), [[0], [1]]))
