"""Identity features: what tells the nodes of a graph apart that has no features of its own."""

from dataclasses import replace

import numpy as np

from zoo.data.graphs.graph import Graph
from zoo.data.graphs.limits import MAX_FEATURES
from zoo.errors import UserError

MOST = 4096  # nodes with a column each; more nodes get random features
RANDOM = 512  # number of random features
BLOCK = 1 << 14  # nodes whose random features are computed at once, in float64


def has_poor_features(graph: Graph) -> bool:
    """Whether nodes have no features, or only such as follow from their numbers of edges.

    Example:
        >>> edges = [[0, 1, 1, 2, 2, 3], [1, 0, 2, 1, 3, 2]]
        >>> has_poor_features(Graph(np.zeros((4, 0)), edges))
        True
        >>> has_poor_features(Graph([[1], [2], [2], [1]], edges))  # the degrees
        True
        >>> has_poor_features(Graph([[1], [0], [2], [1]], edges))
        False
    """
    if not len(graph):
        return False
    leaving, entering = (np.bincount(ends, minlength=len(graph)) for ends in graph.edges)
    degrees = [leaving, entering, leaving + entering]
    return all(_follows(column, degrees) for column in graph.nodes.T)


def _follows(column: np.ndarray, degrees: list[np.ndarray]) -> bool:
    """Whether nodes with as many edges have equal values, in a graph with many such nodes."""
    if np.ptp(column) == 0:
        return True
    for counts in degrees:
        kinds, index = np.unique(counts, return_inverse=True)
        if 2 * len(kinds) > len(column) and not np.allclose(column, counts):
            continue
        low, high = np.full(len(kinds), np.inf), np.full(len(kinds), -np.inf)
        np.minimum.at(low, index, column)
        np.maximum.at(high, index, column)
        if np.allclose(low, high):
            return True
    return False


def with_identity(graph: Graph) -> Graph:
    """The graph with identity features in place of its own.

    The first layer of a model learns a vector for each node from them. Nodes are told apart by
    their ids, whatever their order. A graph of more than `MOST` nodes gets random vectors, which
    are nearly orthogonal.

    Source: Kipf & Welling 2017, appendix A.1 (`X = I`).

    Raises:
        UserError: If the vectors of all nodes are too large.

    Example:
        >>> with_identity(Graph(np.zeros((2, 0)), [[0], [1]], ids=["b", "a"])).nodes.tolist()
        [[0.0, 1.0], [1.0, 0.0]]
    """
    count = len(graph)
    if count > MOST and 4 * count * RANDOM > MAX_FEATURES:
        what = "too many to learn a vector for each: give them features"
        raise UserError(f"{graph.path}: its {count:,} nodes are {what}")
    names = graph.names
    order = sorted(range(count), key=lambda index: (len(names[index]), names[index]))
    vectors = np.zeros((count, count if count <= MOST else RANDOM), "float32")
    if count <= MOST:
        vectors[order, np.arange(count)] = 1
        return replace(graph, nodes=vectors, columns=None)
    random = np.random.default_rng(0)
    for start in range(0, count, BLOCK):
        rows = order[start : start + BLOCK]
        vectors[rows] = random.normal(size=(len(rows), RANDOM)) / np.sqrt(RANDOM)
    return replace(graph, nodes=vectors, columns=None)
