"""Several graphs as one: their nodes and edges side by side."""

from typing import Any

from keras import ops


def disjoint_union(nodes: Any, edges: Any) -> tuple[Any, Any]:
    """A batch of graphs of one size as one graph.

    Source: Veličković et al. 2018, section 3.3, which trains on batches of graphs.
    Formula: `nodes[b N + n] = nodes_b[n]`; `edges[:, b E + e] = edges_b[:, e] + b N`

    Args:
        nodes: Tensor (B, N, D).
        edges: Integer tensor (B, 2, E).

    Returns:
        The nodes (B N, D) and the edges (2, B E).

    Example:
        >>> _, edges = disjoint_union(ops.ones((2, 3, 5)), ops.array([[[0], [2]], [[1], [0]]]))
        >>> ops.convert_to_numpy(edges).tolist()
        [[0, 4], [2, 3]]
    """
    graphs, size = ops.shape(nodes)[:2]
    starts = ops.arange(graphs, dtype="int32") * size
    edges = ops.cast(edges, "int32") + ops.reshape(starts, (-1, 1, 1))
    edges = ops.reshape(ops.transpose(edges, (1, 0, 2)), (2, -1))
    return ops.reshape(nodes, (-1, nodes.shape[-1])), edges
