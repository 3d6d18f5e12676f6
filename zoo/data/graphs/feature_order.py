"""The features of nodes and of edges by the names of their columns, in the order of a model."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from zoo.data.graphs.graph import Graph
from zoo.data_statistics import LOGGER
from zoo.errors import UserError

Names = Sequence[str] | None


def in_order(graph: Graph, columns: Names, edge_columns: Names) -> Graph:
    """A graph with the features of others, in their order.

    Features without names stay as they are.

    Args:
        graph: The graph.
        columns: Names of the features of nodes.
        edge_columns: Names of the features of edges.

    Raises:
        UserError: If a feature is missing.

    Example:
        >>> graph = Graph([[1.0, 2.0]], np.zeros((2, 0), int), columns=["size", "age"])
        >>> in_order(graph, ["age", "size"], None).nodes.tolist()
        [[2.0, 1.0]]
    """
    nodes = _ordered(graph, "nodes", graph.nodes, graph.columns, columns)
    edges = _ordered(graph, "edges", graph.edge_features, graph.edge_columns, edge_columns)
    own, of_edges = graph.columns, graph.edge_columns
    return replace(
        graph,
        nodes=nodes,
        columns=own if own is None or columns is None else columns,
        edge_features=edges,
        edge_columns=of_edges if of_edges is None or edge_columns is None else edge_columns,
    )


def _ordered(
    graph: Graph, what: str, features: np.ndarray | None, names: Names, wanted: Names
) -> np.ndarray | None:
    if features is None or names is None or wanted is None:
        return features
    if absent := [name for name in wanted if name not in names]:
        raise UserError(
            f"{graph.path}: {what} have no column {', '.join(absent):.200}; their columns are "
            f"{', '.join(names):.200}"
        )
    if unused := [name for name in names if name not in wanted]:
        LOGGER.warning(
            f"{graph.path}: the columns {', '.join(unused):.200} of {what} are not used; those "
            f"that are used are {', '.join(wanted):.200}"
        )
    indices = {name: index for index, name in enumerate(names)}
    ordered: np.ndarray = features[:, [indices[name] for name in wanted]]
    return ordered
