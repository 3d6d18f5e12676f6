"""The inputs of a bare Keras model that are graphs: which axes are batch, nodes and edges."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from export.worker.axes import BATCH

NODES, EDGES = "nodes", "edges"
Shape = tuple[int | None, ...]


def is_edges(name: str, shape: tuple, dtype: str) -> bool:
    """Whether an input is edges, (2, E) or (B, 2, E): integers with "edge" in their name.

    Example:
        >>> is_edges("edge_index", (2, None), "int32"), is_edges("ids", (2, None), "int32")
        (True, False)
    """
    return "edge" in name and "int" in dtype and len(shape) in (2, 3) and shape[-2] == 2


def graph_axes(shapes: Mapping[str, Shape], dtypes: Mapping[str, str]) -> dict[str, tuple]:
    """The axes of each input of a model that takes edges; nothing, if no input is edges.

    In a batch of graphs the first axis is "batch". The next one, or the first one of a single
    graph, is "edges" where "edge" is in the name of the input, as in `edges_mask`, and else
    "nodes". Axes of a known size are numbers.

    Example:
        >>> shapes = {"nodes": (None, 5), "edges": (2, None)}
        >>> graph_axes(shapes, {"nodes": "float32", "edges": "int32"})
        {'nodes': ('nodes', 5), 'edges': (2, 'edges')}
    """
    edges = [name for name, shape in shapes.items() if is_edges(name, shape, dtypes[name])]
    if not edges:
        return {}
    leading = (BATCH,) if len(shapes[edges[0]]) == 3 else ()

    def named(name: str) -> tuple[int | str, ...]:
        kind = (2, EDGES) if name in edges else (EDGES if "edge" in name else NODES,)
        names: list[Any] = [*leading, *kind]
        return tuple(
            size if size is not None else names[axis] if axis < len(names) else f"{name}_{axis}"
            for axis, size in enumerate(shapes[name])
        )

    return {name: named(name) for name in shapes}


def may_be_padded(name: str, names: Mapping[str, Any]) -> bool:
    """Whether zeros may follow in an input of a graph, if the live model agrees: edges from node 0
    to node 0 would have a say, unless a mask takes them out."""
    return "edge" not in name or any("edge" in other and "mask" in other for other in names)
