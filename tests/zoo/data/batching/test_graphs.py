"""Batches of whole graphs, and of sampled surroundings."""

import numpy as np
import pytest

from zoo.data.batching.graphs import GraphUnions
from zoo.data.batching.neighbors import SampledNeighbors
from zoo.data.batching.padded_columns import NO_LABEL
from zoo.data.graphs.graph import Graph
from zoo.data.graphs.neighbors import Neighborhoods
from zoo.data.graphs.read import graph_inputs
from zoo.preprocessing.graphs import GraphPreprocessor


def draw(nodes, edges, seed, features=None):
    random = np.random.default_rng(seed)
    ends = random.integers(0, nodes, (2, edges))
    of_edges = None if features is None else random.normal(size=(edges, features))
    return Graph(random.normal(size=(nodes, 5)), ends, edge_features=of_edges)


@pytest.fixture
def graphs():
    return [draw(n, e, n, features=2) for n, e in ((5, 7), (3, 11), (2, 0), (7, 13), (1, 1))]


def test_every_graph_is_whole_and_there_once(graphs):
    labels = [np.arange(len(graph)) for graph in graphs]
    specs = GraphPreprocessor.of(graphs).features
    batches = GraphUnions(graph_inputs(graphs), labels, specs, batch_size=2, seed=3)
    assert batches.steps_per_epoch == 3
    for epoch in range(3):
        actual = list(batches.columns(epoch))
        assert {tuple(x.shape for x in batch.values()) for batch in actual} == {
            ((12, 5), (2, 24), (24, 2), (12,))
        }
        rows = np.concatenate([batch["nodes"][batch["labels"] >= 0] for batch in actual])
        expected = np.concatenate([graph.nodes for graph in graphs])
        np.testing.assert_array_equal(rows[np.lexsort(rows.T)], expected[np.lexsort(expected.T)])
        for batch in actual:
            present = batch["edges"][0] >= 0
            ends = batch["labels"][batch["edges"][:, present]]
            assert (ends >= 0).all() and not batch["edge_features"][~present].any()
    orders = [[b["nodes"][0, 0] for b in batches.columns(epoch)] for epoch in (0, 1, 0)]
    assert orders[0] == orders[2] != orders[1]
    spec = next(iter(batches.dataset(repeat=True)))[0]["edges"]
    assert spec.shape == (2, 24)


def test_one_batch_is_not_padded(graphs):
    labels = [np.arange(len(graph)) for graph in graphs[:2]]
    specs = GraphPreprocessor.of(graphs).features
    batches = GraphUnions(graph_inputs(graphs[:2]), labels, specs, batch_size=9)
    (x, y), (again, _) = batches.dataset(repeat=True).take(2)
    assert x["nodes"].shape == (8, 5) and y.numpy().tolist() == [0, 1, 2, 3, 4, 0, 1, 2]
    np.testing.assert_array_equal(x["edges"][:, 7:] - 5, graphs[1].edges)
    np.testing.assert_array_equal(x["edges"], again["edges"])


def test_surroundings_are_those_from_which_messages_come():
    graph = draw(31, 61, 5)
    part = Neighborhoods(graph).around(np.array([7, 2]), steps=2)
    reached = {7, 2}
    for _ in range(2):
        reached |= set(graph.edges[0, np.isin(graph.edges[1], list(reached))].tolist())
    assert set(part.nodes.tolist()) == reached and part.nodes[:2].tolist() == [7, 2]
    np.testing.assert_array_equal(part.nodes[part.edges], graph.edges[:, part.numbers])
    inner = [7, 2, *graph.edges[0, np.isin(graph.edges[1], (7, 2))]]
    expected = np.flatnonzero(np.isin(graph.edges[1], inner))
    assert sorted(part.numbers.tolist()) == expected.tolist()


def test_sampled_neighbors_are_few_and_fair():
    star = Graph(np.eye(30, 5), [np.arange(1, 30), np.zeros(29, int)])
    around, random = Neighborhoods(star), np.random.default_rng(1)
    counts = np.zeros(30)
    for _ in range(300):
        part = around.around(np.array([0]), 1, most=6, random=random)
        assert part.edges.shape == (2, 6) and len(set(part.nodes.tolist())) == 7
        counts[part.nodes[1:]] += 1
    # A binomial with p = 6 / 29 has mean 62 and standard deviation 7.
    assert counts[1:].min() > 30 and counts[1:].max() < 95


def test_batches_of_surroundings_have_one_shape_and_every_label_once():
    graph, labels = draw(97, 501, 5, features=2), np.arange(97)
    labels[::3] = NO_LABEL
    specs = GraphPreprocessor.of([graph]).features
    batches = SampledNeighbors([graph], [labels], specs, 2, 3, batch_nodes=13, seed=1)
    assert batches.steps_per_epoch == 5
    for epoch in range(2):
        actual = list(batches.columns(epoch))
        assert len({batch["nodes"].shape for batch in actual}) == 1
        seen = np.concatenate([batch["labels"] for batch in actual])
        assert sorted(seen[seen != NO_LABEL]) == labels[labels != NO_LABEL].tolist()
        for batch in actual:
            known = batch["labels"] != NO_LABEL
            own = graph.nodes[batch["labels"][known]]
            np.testing.assert_array_equal(batch["nodes"][known], own)
            ends = batch["edges"][:, batch["edges"][0] >= 0]
            assert np.bincount(ends[1]).max() <= 3


def test_a_batch_that_is_too_large_loses_what_is_far():
    graph, labels = draw(97, 501, 5), np.arange(97)
    specs = GraphPreprocessor.of([graph]).features
    batches = SampledNeighbors([graph], [labels], specs, 2, 5, batch_nodes=13)
    batches._sizes = {"nodes": 20, "edges": 17}
    for batch in batches.columns():
        assert batch["nodes"].shape == (20, 5) and batch["edges"].max() < 20
        assert (batch["labels"] >= 0).sum() in (13, 97 % 13)
