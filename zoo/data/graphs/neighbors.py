"""The surroundings of nodes: all of them, or a random sample, as graphs of their own."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from zoo.data.graphs.graph import Graph


@dataclass(frozen=True, eq=False)
class Subgraph:
    """A part of a graph.

    Args:
        nodes: Numbers of its nodes in the whole graph; those it was asked for come first.
        edges: Its edges between these nodes, (2, E), numbered within the part.
        numbers: Numbers of the edges in the whole graph, (E,).
    """

    nodes: np.ndarray
    edges: np.ndarray
    numbers: np.ndarray


class Neighborhoods:
    """Finds the nodes from which messages reach given nodes in some steps.

    Source: Hamilton et al. 2017, algorithm 2; but the neighbors of a node are sampled once, and are
        the same in all layers.

    Args:
        graph: The graph.

    Example:
        >>> chain = Graph(np.eye(5), [[0, 1, 2, 3], [1, 2, 3, 4]])
        >>> part = Neighborhoods(chain).around(np.array([3]), steps=2)
        >>> part.nodes.tolist(), part.edges.tolist()
        ([3, 2, 1], [[1, 2], [0, 1]])
    """

    def __init__(self, graph: Graph) -> None:
        self.graph = graph

    @cached_property
    def _by_target(self) -> tuple[np.ndarray, np.ndarray]:
        """The numbers of edges ordered by their targets, and where those of each node begin."""
        order = np.argsort(self.graph.edges[1], kind="stable")
        counts = np.bincount(self.graph.edges[1], minlength=len(self.graph))
        return order, np.concatenate([[0], np.cumsum(counts)])

    def around(
        self,
        nodes: np.ndarray,
        steps: int,
        most: int | None = None,
        random: np.random.Generator | None = None,
    ) -> Subgraph:
        """The part of the graph from which messages reach the nodes.

        Args:
            nodes: Distinct numbers of nodes.
            steps: Number of steps, that is, of layers of a model.
            most: Maximum number of edges to each node, chosen at random; None takes all.
            random: Random generator, for `most`.
        """
        index = np.full(len(self.graph), -1)
        index[nodes] = np.arange(len(nodes))
        rings, numbers, outer = [nodes], [], nodes
        count = len(nodes)
        for _ in range(steps):
            edges = self._edges_to(outer, most, random)
            numbers.append(edges)
            sources = self.graph.edges[0, edges]
            outer = np.unique(sources[index[sources] < 0])
            index[outer] = np.arange(count, count + len(outer))
            count += len(outer)
            rings.append(outer)
        chosen = np.concatenate(numbers) if numbers else np.zeros(0, "int64")
        return Subgraph(np.concatenate(rings), index[self.graph.edges[:, chosen]], chosen)

    def _edges_to(self, nodes: np.ndarray, most: int | None, random: Any) -> np.ndarray:
        """The numbers of the edges to these nodes, at most `most` to each."""
        order, starts = self._by_target
        first, counts = starts[nodes], starts[nodes + 1] - starts[nodes]
        total = int(counts.sum())
        owner = np.repeat(np.arange(len(nodes)), counts)
        within = np.arange(total) - np.repeat(np.cumsum(counts) - counts, counts)
        edges = order[first[owner] + within]
        if most is None or not total or counts.max() <= most:
            return edges
        # In random order within each node, the first of which are kept.
        mixed = np.lexsort((random.random(total), owner))
        return edges[mixed[within < most]]

    def subgraph(self, nodes: np.ndarray, steps: int) -> Graph:
        """The part of the graph from which messages reach nodes, as a graph with ids."""
        return self.graph_of(self.around(nodes, steps))

    def graph_of(self, part: Subgraph) -> Graph:
        """A part as a graph of its own."""
        whole, names = self.graph, self.graph.ids
        features = whole.edge_features
        return Graph(
            whole.nodes[part.nodes],
            part.edges,
            None if whole.labels is None else whole.labels[part.nodes],
            edge_features=None if features is None else features[part.numbers],
            ids=[str(n) if names is None else names[n] for n in part.nodes],
            classes=whole.classes,
            path=whole.path,
        )

    def sample(self, most: int) -> Graph:
        """A part of the graph that is connected as far as possible, and as large as allowed.

        Args:
            most: Maximum number of nodes.
        """
        random, count = np.random.default_rng(0), len(self.graph)
        order = random.permutation(count)
        kept = np.zeros(count, bool)
        for node in order:
            if kept.sum() >= min(most, count):
                break
            part = self.around(np.array([node]), steps=2, most=5, random=random)
            kept[part.nodes[: most - int(kept.sum())]] = True
        nodes = np.flatnonzero(kept)
        index = np.full(count, -1)
        index[nodes] = np.arange(len(nodes))
        ends = index[self.graph.edges]
        inside = np.flatnonzero((ends >= 0).all(axis=0))
        return self.graph_of(Subgraph(nodes, ends[:, inside], inside))
