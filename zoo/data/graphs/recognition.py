"""Recognition of graphs by their files, and what may surprise in them."""

import zipfile
from pathlib import Path

import numpy as np

from zoo.data.graphs.edge_lists import EDGE_LISTS, KONECT, SURE
from zoo.data.graphs.edge_tables import is_edge_table
from zoo.data.graphs.graph import UNKNOWN
from zoo.data.graphs.paths import LABELS, NODES, NPZ, TABLES, edges_in, table
from zoo.data.graphs.planetoid import is_planetoid
from zoo.data.graphs.read import Graphs
from zoo.data.readers.files import format_of
from zoo.data.readers.tables import TABLE_FORMATS
from zoo.data_statistics import counted
from zoo.untrusted import open_regular


def has_graphs(path: Path) -> bool:
    """Whether a file or a folder has graphs: Planetoid's, `.npz` files, or tables of nodes.

    Example:
        >>> path = getfixture("tmp_path") / "a.npz"
        >>> np.savez(path, x=np.eye(3), edge_index=[[0, 1], [1, 2]], y=[0, 1, 1])
        >>> has_graphs(path), has_graphs(Path("reviews.csv"))
        (True, False)
    """
    if path.suffix == NPZ:
        return _has_edges(path)
    if not path.is_dir():
        named = path.name.split(".")[0] in TABLES and format_of(path) in (
            *TABLE_FORMATS,
            *EDGE_LISTS,
        )
        named = named or format_of(path) in SURE or path.name.startswith(KONECT)
        return _has_tables(path.parent) and (named or is_edge_table(path))
    return is_planetoid(path) or _has_tables(path) or any(map(_has_edges, path.glob(f"*{NPZ}")))


def _has_edges(path: Path) -> bool:
    try:
        with open_regular(path) as file, zipfile.ZipFile(file) as archive:
            names = {name.removesuffix(".npy") for name in archive.namelist()}
    except (OSError, ValueError, zipfile.BadZipFile):
        return False
    return bool(names & {"edges", "edge_index"})


def _has_tables(folder: Path) -> bool:
    nodes = any(table(folder, name) is not None for name in (NODES, LABELS))
    return nodes and edges_in(folder) is not None


def label_cells(graphs: Graphs) -> dict[str, list[str]]:
    """The labels of all nodes as a column, if each node has one.

    Example:
        >>> from zoo.data.graphs.graph import Graph
        >>> graph = Graph(np.eye(2), [[0], [1]], labels=["a", None])
        >>> label_cells(Graphs("", [graph]))
        {'label': ['a', '']}
    """
    if any(graph.labels is None or graph.multi_label for graph in graphs.graphs):
        return {}
    return {"label": [label for graph in graphs.graphs for label in graph.labels.tolist()]}


def described(graphs: Graphs) -> str:
    """The graphs in words: their sizes, and what may surprise.

    Example:
        >>> from zoo.data.graphs.graph import Graph
        >>> graph = Graph(np.eye(3), [[0, 1], [1, 1]], labels=["a", "a", "b"])
        >>> described(Graphs("g", [graph])).partition("; 1 node ")[2]
        'without edges; 1 edge from a node to itself; 100 % of the others join nodes of one label'
    """
    alone = loops = alike = joined = 0
    for graph in graphs.graphs:
        ends, own = graph.edges, graph.edges[0] == graph.edges[1]
        alone += len(graph) - len(np.unique(ends[:, ~own]))
        alone -= len(np.setdiff1d(ends[:, own], ends[:, ~own]))
        loops += int(own.sum())
        if graph.labels is not None and not graph.multi_label:
            pairs = graph.labels[ends[:, ~own]]
            known = (pairs != UNKNOWN).all(axis=0)
            joined += int(known.sum())
            alike += int((pairs[0] == pairs[1])[known].sum())
    parts = [
        str(graphs),
        f"{counted(alone, 'nodes')} without edges",
        f"{counted(loops, 'edges')} from a node to itself",
    ]
    if joined:
        parts.append(f"{100 * alike / joined:.0f} % of the others join nodes of one label")
    return "; ".join(parts)
