"""Edges from every node to itself."""

from typing import Any

from keras import ops


def with_self_loops(edges: Any, edges_mask: Any, num_nodes: Any) -> tuple[Any, Any]:
    """Appends an edge from each node to itself, and masks those that were there before.

    Source: Veličković et al. 2018, section 2.1: the neighborhood of a node includes the node.
    Formula: `edges' = [edges, (n, n) for each n]`; `mask'_e = mask_e and edges_0e != edges_1e` for
        the edges from before, True for the others

    Args:
        edges: Integer tensor (..., 2, E).
        edges_mask: Bool tensor (..., E), True for what takes part; None for no mask.
        num_nodes: Number of nodes N of each graph, an integer or a scalar tensor.

    Returns:
        The edges (..., 2, E + N) and their mask (..., E + N).

    Example:
        >>> edges, mask = with_self_loops(ops.array([[0, 1], [1, 1]]), None, num_nodes=2)
        >>> [ops.convert_to_numpy(each).tolist() for each in (edges, mask)]
        [[[0, 1, 0, 1], [1, 1, 0, 1]], [True, False, True, True]]
    """
    source, target = ops.split(edges, 2, axis=-2)
    mask = ops.squeeze(ops.not_equal(source, target), axis=-2)
    if edges_mask is not None:
        mask = ops.logical_and(mask, ops.cast(edges_mask, "bool"))
    *graphs, _, _ = ops.shape(edges)
    loops = ops.broadcast_to(ops.arange(num_nodes, dtype=edges.dtype), (*graphs, 2, num_nodes))
    present = ops.ones((*graphs, num_nodes), dtype="bool")
    return ops.concatenate([edges, loops], axis=-1), ops.concatenate([mask, present], axis=-1)
