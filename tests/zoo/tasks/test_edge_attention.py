"""Attention weights on the edges of a graph, from the outputs of a model."""

import numpy as np

from zoo.data.graphs.graph import Graph
from zoo.data.graphs.read import graph_inputs
from zoo.preprocessing.graphs import NAMES, GraphPreprocessor
from zoo.tasks.edge_attention import edge_attentions


def test_weights_of_edges_and_of_loops_are_those_between_named_nodes():
    graph = Graph(np.eye(2), [[0], [1]], ids=["x", "y"])
    inputs = {**graph_inputs([graph]), NAMES: [graph.names]}
    features = GraphPreprocessor.of([graph]).read(inputs)
    outputs = {
        "edges_0": np.array([[0.25]]),
        "loops_0": np.array([[1.0], [0.75]]),
        "edges_1": np.array([[1.0]]),
    }
    first, last = edge_attentions(features, outputs)
    assert first.ids == last.ids == ["x", "y"] and [first.name, last.name] == ["edges_0", "edges_1"]
    assert first.map().weights.tolist() == [[[1.0, 0.0], [0.25, 0.75]]]
    assert last.map().weights.tolist() == [[[0.0, 0.0], [1.0, 0.0]]]
