"""The graphs of files and folders."""

from pathlib import Path

from zoo.data.graphs.arrays import read_npz
from zoo.data.graphs.edge_lists import EDGE_LISTS, KONECT, SURE, edges_beside, is_edge_list
from zoo.data.graphs.edge_tables import is_edge_table
from zoo.data.graphs.graph import Graph
from zoo.data.graphs.planetoid import is_planetoid, read_planetoid
from zoo.data.graphs.tables import read_tables
from zoo.data.readers.column_names import DEFAULT, ReadOptions
from zoo.data.readers.files import format_of
from zoo.data.readers.tables import TABLE_FORMATS
from zoo.errors import UserError
from zoo.untrusted import check_inside

NPZ = ".npz"
TABLES = NODES, LABELS, EDGES = ("nodes", "labels", "edges")  # names of tables, without suffix
MOST_TABLES = 9  # of a folder in which edges are looked for
AS_TABLES = (
    "write the graph as two tables in a folder, nodes.csv with columns id and label and maybe "
    "features, and edges.csv with columns source and target"
)
FORMS = (
    "a folder with Planetoid's ind.NAME.* files, with .npz files, or with the tables nodes.csv and "
    "edges.csv, or labels.csv and edges.csv (or .tsv, .jsonl, .json, .parquet)"
)


def graphs_of(path: Path, options: ReadOptions = DEFAULT, multi_label: bool = False) -> list[Graph]:
    """The graphs of a file or a folder, with edges in their direction.

    Args:
        path: The file or the folder.
        options: How tables are read.
        multi_label: Whether a node of a table can have several labels.

    Raises:
        UserError: If a file is missing or damaged, or there is no graph.
    """
    if not path.is_dir():
        return [_of_file(path, options, multi_label)]
    if is_planetoid(path):
        for each in path.glob("ind.*"):
            check_inside(each, path)
        return [read_planetoid(path)]
    for name in TABLES:
        if (file := table(path, name)) is not None:
            return [_of_file(file, options, multi_label)]
    paths = sorted(each for each in path.iterdir() if each.is_dir() or each.suffix == NPZ)
    if not paths:
        raise UserError(f"{path} has no graph: expected {FORMS}")
    for each in paths:
        check_inside(each, path)
        if each.is_dir() and each.is_symlink():  # which could lead back to this folder
            raise UserError(f"{each} is a link to a folder: expected a folder or a file")
    return [graph for each in paths for graph in graphs_of(each, options, multi_label)]


def _of_file(path: Path, options: ReadOptions, multi_label: bool) -> Graph:
    if not path.exists():
        raise UserError(f"{path} does not exist")
    if path.suffix == NPZ:
        return read_npz(path)
    if format_of(path) in TABLE_FORMATS or is_edge_list(path):
        return _of_tables(path, options, multi_label)
    raise UserError(f"{path} has an unknown format: {AS_TABLES}, or as an .npz file")


def _of_tables(path: Path, options: ReadOptions, multi_label: bool) -> Graph:
    """The graph of a table of nodes, labels or edges, and of what lies beside it."""
    nodes: Path | None = path
    edges = path.with_name(f"{EDGES}{''.join(path.suffixes)}")
    if _has_edges(path, options.encoding):
        beside = (table(path.parent, name) for name in (NODES, LABELS))
        nodes, edges = next(filter(None, beside), None), path
    else:
        edges = edges_in(path.parent, options.encoding) or edges
    for each in filter(None, (nodes, edges)):
        check_inside(each, path.parent)
    return read_tables(nodes, edges, options, multi_label)


def _has_edges(path: Path, encoding: str | None) -> bool:
    """Whether a file has edges, by its name or its contents."""
    named = path.name.split(".")[0]
    sure = named == EDGES or path.name.startswith(KONECT) or format_of(path) in SURE
    return sure or (named not in TABLES and is_edge_table(path, encoding))


def edges_in(folder: Path, encoding: str | None = None) -> Path | None:
    """The table or the list of edges in a folder: by its name, or the only one by its rows.

    Args:
        folder: The folder.
        encoding: The encoding of its texts, by default UTF-8.
    """
    if not folder.is_dir():
        return None
    if named := table(folder, EDGES) or edges_beside(folder):
        return named
    tables = [x for x in folder.iterdir() if x.is_file() and format_of(x) in TABLE_FORMATS]
    if len(tables) > MOST_TABLES:
        return None
    edges = [x for x in tables if _has_edges(x, encoding)]
    return edges[0] if len(edges) == 1 else None


def table(folder: Path, name: str) -> Path | None:
    """The table with a name, such as nodes.csv or nodes.jsonl.gz."""
    if not folder.is_dir():
        return None
    formats = (*TABLE_FORMATS, *(EDGE_LISTS if name == EDGES else ()))
    files = sorted(x for x in folder.glob(f"{name}.*") if format_of(x) in formats)
    return files[0] if files else None
