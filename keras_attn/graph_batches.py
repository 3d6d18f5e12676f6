"""Batches of graphs that Keras's `fit`, `evaluate` and `predict` take."""

from collections.abc import Sequence
from typing import Any

import keras
import numpy as np

Graph = tuple[Any, Any]  # nodes (N, D) and edges (2, E)


class GraphBatches(keras.utils.PyDataset):
    """Graphs and labels of their nodes, for `fit`, `evaluate` and `predict`.

    A batch is the disjoint union of its graphs, as one graph: `{"nodes": (N, D), "edges": (2, E)}`.
    All batches are padded to the size of the largest, so that a model is compiled once: with nodes
    that have sample weight 0, and with edges from the last of them to itself. A single batch is not
    padded. The graphs of a batch stay together; `fit` shuffles the batches.

    Choose a loss with `reduction="mean_with_sample_weight"`: the default divides by the number of
    all nodes, and not of those with a weight.

    Source: Veličković et al. 2018, section 3.3: transductive training on one graph with few labels,
        inductive training on batches of graphs.
    Formula: `nodes = [nodes_1; nodes_2; ...]`;
        `edges = [edges_1, edges_2 + N_1, edges_3 + N_1 + N_2, ...]`

    Args:
        graphs: For each graph its nodes (N, D) and edges (2, E).
        labels: For each graph the labels (N, ...) of its nodes; None to predict.
        sample_weight: For each graph the weights (N) of its nodes, such as a mask of those whose
            labels are known; None weighs all alike.
        batch_size: Number of graphs in a batch.
        **kwargs: Arguments of `keras.utils.PyDataset`.

    Returns:
        A `keras.utils.PyDataset`.

    Raises:
        ValueError: If there are no graphs, `batch_size` is not positive, or there are not as many
            labels or weights as graphs, or as nodes in a graph.

    Example:
        >>> import numpy as np
        >>> from keras_attn import GraphBatches
        >>> one = np.ones((3, 5), "float32"), np.array([[0, 1], [1, 2]])
        >>> two = np.ones((2, 5), "float32"), np.array([[1], [0]])
        >>> x, y, weight = GraphBatches([one, two], labels=[[1, 0, 1], [0, 1]], batch_size=2)[0]
        >>> x["nodes"].shape, x["edges"].tolist(), y.tolist()
        ((5, 5), [[0, 1, 4], [1, 2, 3]], [1, 0, 1, 0, 1])
    """

    def __init__(
        self,
        graphs: Sequence[Graph],
        labels: Sequence[Any] | None = None,
        sample_weight: Sequence[Any] | None = None,
        batch_size: int = 1,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        if not isinstance(batch_size, int) or batch_size < 1:
            raise ValueError(f"batch_size must be a positive integer; received {batch_size!r}.")
        if not graphs:
            raise ValueError("graphs must have at least one graph.")
        self.graphs = [(np.asarray(nodes), np.asarray(edges, "int32")) for nodes, edges in graphs]
        self.labels = self._checked("labels", labels)
        self.sample_weight = self._checked("sample_weight", sample_weight)
        self.batch_size = batch_size
        counts = np.array([(len(nodes), edges.shape[1]) for nodes, edges in self.graphs])
        sizes = np.add.reduceat(counts, np.arange(0, len(counts), batch_size))
        # One node more, at which the edges that fill a batch begin and end.
        self._size = sizes.max(axis=0) + ((1, 0) if len(sizes) > 1 else (0, 0))

    def _checked(self, name: str, values: Sequence[Any] | None) -> list[np.ndarray] | None:
        if values is None:
            return None
        arrays = [np.asarray(each) for each in values]
        expected, received = (
            [len(nodes) for nodes, _ in self.graphs],
            [len(each) for each in arrays],
        )
        if expected != received:
            raise ValueError(
                f"{name} must have one entry for each node of each graph, {expected}; "
                f"received {received}."
            )
        return arrays

    def __len__(self) -> int:
        return -(-len(self.graphs) // self.batch_size)

    def __getitem__(self, index: int) -> tuple:
        part = slice(index * self.batch_size, (index + 1) * self.batch_size)
        graphs, (num_nodes, num_edges) = self.graphs[part], self._size
        starts = np.cumsum([0, *(len(nodes) for nodes, _ in graphs)])
        shifted = [edges + at for (_, edges), at in zip(graphs, starts, strict=False)]
        edges = np.concatenate(shifted, axis=1, dtype="int32")
        fill = (0, 0), (0, num_edges - edges.shape[1])
        x = {
            "nodes": _joined([nodes for nodes, _ in graphs], num_nodes),
            "edges": np.pad(edges, fill, constant_values=num_nodes - 1),
        }
        if self.labels is None:
            return (x,)
        weights = self.sample_weight or [np.ones(len(nodes)) for nodes, _ in self.graphs]
        weights = [each.astype("float32") for each in weights[part]]
        return x, _joined(self.labels[part], num_nodes), _joined(weights, num_nodes)

    def split(self, outputs: Any) -> list[np.ndarray]:
        """What `predict` returned for all nodes, as one array (N, ...) for each graph.

        Args:
            outputs: Array whose first axis is the nodes of all batches.
        """
        batches = np.reshape(outputs, (len(self), -1, *np.shape(outputs)[1:]))
        arrays = []
        for start, batch in zip(range(0, len(self.graphs), self.batch_size), batches, strict=True):
            sizes = [len(nodes) for nodes, _ in self.graphs[start : start + self.batch_size]]
            arrays += np.split(batch[: sum(sizes)], np.cumsum(sizes)[:-1])
        return arrays


def _joined(arrays: list[np.ndarray], size: int) -> np.ndarray:
    """The arrays one after another, and then zeros up to `size` rows."""
    joined = np.concatenate(arrays)
    return np.pad(joined, [(0, size - len(joined))] + [(0, 0)] * (joined.ndim - 1))
