"""Checks of the nodes and edges that graph attention is called with."""

from typing import Any

import numpy as np
from keras import ops


def check_graph_shapes(nodes: tuple, edges: tuple, ends: tuple[int | None, ...]) -> None:
    """Checks that shapes are those of a graph or of a batch of graphs.

    Args:
        nodes: Shape of the nodes.
        edges: Shape of the edges.
        ends: Sizes that the axis of the two ends of an edge may have; None if it may be unknown.

    Raises:
        ValueError: If they are not.

    Example:
        >>> check_graph_shapes((3, 5), (2, 4), ends=(2,))
    """
    fit = (len(nodes), len(edges)) in ((2, 2), (3, 3)) and edges[-2] in ends
    if fit and len(edges) == 3:
        fit = len({shape[0] for shape in (nodes, edges) if isinstance(shape[0], int)}) < 2
    if not fit:
        raise ValueError(
            "nodes and edges must have the shapes (N, D) and (2, E) of one graph, or (B, N, D) and "
            f"(B, 2, E) of a batch; received {tuple(nodes)} and {tuple(edges)}."
        )


def check_edges(edges: Any, num_nodes: int | None, edges_mask: Any) -> None:
    """Checks that edges name nodes, if their values are known.

    Args:
        edges: Tensor (2, E) or (B, 2, E).
        num_nodes: Number of nodes, or None if it is unknown.
        edges_mask: Mask (E) or (B, E), True for edges that take part, or None.

    Raises:
        ValueError: If an edge that takes part names a node that does not exist.

    Example:
        >>> check_edges(ops.array([[0, 1], [1, 5]]), 3, None)
        Traceback (most recent call last):
        ValueError: edges must name nodes from 0 to 2; received 0 to 5.
    """
    try:
        values = ops.convert_to_numpy(edges)
        if edges_mask is not None:
            keep = np.expand_dims(ops.convert_to_numpy(edges_mask), -2)
            values = values[np.broadcast_to(keep, values.shape)]
    except (NotImplementedError, TypeError):  # edges are traced, by TensorFlow or JAX
        return
    if num_nodes is not None and np.any((values < 0) | (values >= num_nodes)):
        raise ValueError(
            f"edges must name nodes from 0 to {num_nodes - 1}; "
            f"received {values.min()} to {values.max()}."
        )
