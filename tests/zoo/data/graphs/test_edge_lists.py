"""Lists of edges of several programs beside labels, and CSV data sets of DGL."""

import numpy as np
import pytest

from zoo.data.graphs.read import read_graphs
from zoo.data.inspection import inspect
from zoo.errors import DataError, UserError

EDGES = [(0, 1), (1, 2), (2, 3), (3, 0), (0, 2)]
LABELS = "id,label\n" + "".join(f"{n},{'ab'[n % 2]}\n" for n in range(4))
MTX = "%%MatrixMarket matrix coordinate pattern symmetric\n% a comment\n4 4 5\n"
LISTS = {
    "edges.tsv": "# FromNodeId\tToNodeId\n" + "".join(f"{a}\t{b}\n" for a, b in EDGES),
    "edges.csv": "# SNAP\n" + "".join(f"{a},{b}\n" for a, b in EDGES),
    "graph.edgelist": "".join(f"{a} {b} {{'weight': 1.0}}\n" for a, b in EDGES),
    "graph.adjlist": "# by NetworkX\n0 1 2\n1 2\n2 3\n3 0\n",
    "graph.mtx": MTX + "".join(f"{a + 1} {b + 1}\n" for a, b in EDGES),
    "out.graph": "% sym unweighted\n" + "".join(f"{a} {b}\n" for a, b in EDGES),
    "karate.edges": "".join(f"{a},{b}\n" for a, b in EDGES),
}


def pairs(graph):
    return {frozenset(pair) for pair in graph.edges.T.tolist()}


@pytest.mark.parametrize("name", LISTS)
def test_lists_of_edges_beside_labels(tmp_path, name):
    (tmp_path / "labels.csv").write_text(LABELS)
    (tmp_path / name).write_text(LISTS[name])
    for path in (tmp_path, tmp_path / name, tmp_path / "labels.csv"):
        (graph,) = read_graphs(path).graphs
        assert (graph.ids, graph.labels.tolist()) == ([*"0123"], [*"abab"])
        assert pairs(graph) == {frozenset(pair) for pair in EDGES}
        assert inspect(path).task == "node-classifier"


@pytest.mark.parametrize("name", ["graph.edgelist", "graph.adjlist", "graph.mtx", "out.graph"])
def test_edges_without_labels_are_refused(tmp_path, name):
    (tmp_path / name).write_text(LISTS[name])
    with pytest.raises(UserError, match="has the edges of a graph: write labels.csv beside it"):
        inspect(tmp_path / name)


@pytest.mark.parametrize("name", ["a.gexf", "a.graphml", "a.gml", "a.net"])
def test_other_formats_are_refused_with_what_is_read(tmp_path, name):
    (tmp_path / name).write_text("<gexf/>")
    for read in (inspect, read_graphs):
        with pytest.raises(UserError, match="nodes.csv with columns id and label .* and edges.csv"):
            read(tmp_path / name)


def test_matrix_market_beside_nodes_from_1(tmp_path):
    (tmp_path / "labels.csv").write_text("id,label\n1,a\n2,b\n3,a\n4,b\n")
    (tmp_path / "g.mtx").write_text(LISTS["graph.mtx"])
    (graph,) = read_graphs(tmp_path).graphs
    assert pairs(graph) == {frozenset(pair) for pair in EDGES} and graph.ids == [*"1234"]


NODES = "node_id,label,train_mask,val_mask,test_mask,feat\n" + "".join(
    f'{n},{n % 2},{n < 2},{n == 2},{n == 3},"{n}.5, {n}, -1e-3"\n' for n in range(4)
)
DGL_EDGES = "src_id,dst_id,feat\n" + "".join(f'{a},{b},"{a}.0, {b}.0"\n' for a, b in EDGES)


def test_a_data_set_of_dgl(tmp_path):
    (tmp_path / "meta.yaml").write_text("dataset_name: a\n")
    (tmp_path / "nodes.csv").write_text(NODES)
    (tmp_path / "edges.csv").write_text(DGL_EDGES)
    (graph,) = read_graphs(tmp_path, directed=True).graphs
    np.testing.assert_allclose(graph.nodes, [[n + 0.5, n, -1e-3] for n in range(4)], rtol=1e-6)
    assert graph.columns == ["feat 1", "feat 2", "feat 3"]
    assert graph.train.tolist() == [True, True, False, False]
    assert (graph.validation.tolist(), graph.test.tolist()) == ([False] * 2 + [True, False],
                                                                [False] * 3 + [True])  # fmt: skip
    np.testing.assert_array_equal(graph.edge_features, EDGES)
    assert inspect(tmp_path).has_validation


def test_data_sets_of_dgl_that_are_refused(tmp_path):
    (tmp_path / "nodes.csv").write_text(NODES.replace('"3.5, 3, -1e-3"', '"3.5, 3"'))
    (tmp_path / "edges.csv").write_text(DGL_EDGES)
    with pytest.raises(DataError, match="nodes.csv:5: feat has 2 numbers, and 3 in the first row"):
        read_graphs(tmp_path)
    (tmp_path / "edges.csv").write_text("graph_id,src_id,dst_id\n0,1,2\n1,1,2\n")
    with pytest.raises(UserError, match="several graphs in the column graph_id: write a folder"):
        read_graphs(tmp_path)
