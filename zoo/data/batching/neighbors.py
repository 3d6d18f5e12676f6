"""Batches of nodes with a random sample of their surroundings, for large graphs."""

from collections.abc import Iterator, Sequence

import numpy as np
import tensorflow as tf

from zoo.data.batching.batches import Batches, Columns
from zoo.data.batching.graphs import LABELS, batch_specs, has_label, padded, split_labels
from zoo.data.batching.padded_columns import NO_LABEL
from zoo.data.graphs.graph import Graph
from zoo.data.graphs.neighbors import Neighborhoods
from zoo.data_statistics import counted
from zoo.preprocessing.base import TensorSpec

MARGIN, ROUND = 1.25, 256  # of the padded sizes over those of the largest batch that was drawn
DRAWN = 8  # number of batches, besides one of each graph, that are drawn to find the sizes


class SampledNeighbors(Batches):
    """Batches of labeled nodes, each with some of the nodes from which messages reach it.

    The model computes `batch_nodes` nodes and what is around them, whatever the size of the graph.
    All batches have one shape; a batch that would be larger loses its last edges,
    which are the farthest from the nodes.

    Source: Hamilton et al. 2017, algorithm 2.

    Args:
        graphs: The graphs.
        labels: For each graph the class of each node (N,), or 0 and 1 for each class (N, C); and
            NO_LABEL where nothing is to be learned.
        specs: Spec of each input.
        steps: Number of layers of the model.
        neighbors: Maximum number of neighbors that each node attends to.
        batch_nodes: Number of labeled nodes in a batch.
        seed: Seed of shuffling and sampling.

    Example:
        >>> from zoo.preprocessing.graphs import GraphPreprocessor
        >>> ring = Graph(np.eye(7), [np.arange(7), (np.arange(7) + 1) % 7])
        >>> specs = GraphPreprocessor.of([ring]).features
        >>> batches = SampledNeighbors([ring], [np.arange(7) % 2], specs, 2, 1, batch_nodes=3)
        >>> batch = next(batches.columns())
        >>> int((batch["labels"] >= 0).sum()), batches.steps_per_epoch
        (3, 3)
    """

    def __init__(
        self,
        graphs: Sequence[Graph],
        labels: Sequence[np.ndarray],
        specs: dict[str, TensorSpec],
        steps: int,
        neighbors: int,
        batch_nodes: int = 512,
        seed: int = 0,
    ) -> None:
        super().__init__(split_labels, seed)
        self.labels, self._specs, self._steps, self.neighbors = labels, specs, steps, neighbors
        self.around = [Neighborhoods(graph) for graph in graphs]
        indices = [np.flatnonzero(has_label(each)) for each in labels]
        self._graph = np.repeat(np.arange(len(graphs)), [len(each) for each in indices])
        self._node = np.concatenate(indices)
        self.batch_nodes = batch_nodes
        self._chunks = self._in_chunks()
        self.steps_per_epoch = len(self._chunks)
        self._sizes = self._measured()

    def __str__(self) -> str:
        steps, shape = counted(self.steps_per_epoch, "batches"), self._sizes
        size = f"at most {shape['nodes']:,} nodes and {shape['edges']:,} edges"
        return f"{len(self._node):,} labels in {steps} (of {size}, {self.neighbors} neighbors each)"

    def _in_chunks(self, random: np.random.Generator | None = None) -> list[np.ndarray]:
        """The labeled nodes of each batch, all of one graph."""
        chunks = []
        for graph in range(len(self.labels)):
            indices = np.flatnonzero(self._graph == graph)
            if random is not None:
                random.shuffle(indices)
            chunks += [
                indices[at : at + self.batch_nodes]
                for at in range(0, len(indices), self.batch_nodes)
            ]
        if random is not None:
            random.shuffle(chunks)
        return chunks

    def _measured(self) -> dict[str, int]:
        """Sizes into which nearly all batches fit, from some of them."""
        random = np.random.default_rng([self.seed, 1 << 30])
        chunks = sorted(self._in_chunks(random), key=len, reverse=True)
        of_each_graph = {self._graph[chunk[0]]: chunk for chunk in reversed(chunks)}
        drawn = [self._part(chunk, random) for chunk in [*of_each_graph.values(), *chunks[:DRAWN]]]
        nodes = max(len(part["nodes"]) for part in drawn)
        edges = max(part["edges"].shape[1] for part in drawn)
        return {
            "nodes": -(-int(MARGIN * nodes) // ROUND) * ROUND,
            "edges": -(-int(MARGIN * edges) // ROUND) * ROUND,
        }

    def _part(self, chunk: np.ndarray, random: np.random.Generator) -> Columns:
        number = self._graph[chunk[0]]
        around, wanted = self.around[number], self._node[chunk]
        part = around.around(wanted, self._steps, self.neighbors, random)
        labels = np.full((len(part.nodes), *self.labels[number].shape[1:]), NO_LABEL, "int32")
        labels[: len(wanted)] = self.labels[number][wanted]
        columns = {"nodes": around.graph.nodes[part.nodes], "edges": part.edges, LABELS: labels}
        if around.graph.edge_features is not None:
            columns["edge_features"] = around.graph.edge_features[part.numbers]
        return columns

    def _fitting(self, part: Columns) -> Columns:
        """The part without what is beyond the sizes of batches."""
        nodes, edges = self._sizes["nodes"], self._sizes["edges"]
        if len(part["nodes"]) <= nodes and part["edges"].shape[1] <= edges:
            return part
        inside = np.flatnonzero((part["edges"] < nodes).all(axis=0))[:edges]
        kept = {"nodes": part["nodes"][:nodes], "edges": part["edges"][:, inside]}
        if "edge_features" in part:
            kept["edge_features"] = part["edge_features"][inside]
        return {**kept, LABELS: part[LABELS][:nodes]}

    @property
    def specs(self) -> dict[str, tf.TensorSpec]:
        return batch_specs(self._specs, self._sizes, self.labels[0])

    def columns(self, epoch: int = 0, shuffle: bool = True) -> Iterator[Columns]:
        random = np.random.default_rng([self.seed, epoch if shuffle else 0])
        for chunk in self._in_chunks(random) if shuffle else self._chunks:
            yield padded(self._fitting(self._part(chunk, random)), self._specs, self._sizes)
