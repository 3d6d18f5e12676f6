"""The reader of a graph in two tables: one of nodes, and one of edges between their ids."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from zoo.data.graphs.csv_dataset import expanded, masks_of
from zoo.data.graphs.edge_lists import MATRIX, counted_like, is_edge_list, read_edge_list
from zoo.data.graphs.edge_tables import SOURCE, TARGET, columns_of_gephi
from zoo.data.graphs.graph import MASKS, UNKNOWN, Graph
from zoo.data.graphs.graph_columns import GraphColumns
from zoo.data.graphs.limits import MAX_LABELS
from zoo.data.readers.column_finder import ColumnFinder
from zoo.data.readers.column_names import DEFAULT, ReadOptions
from zoo.data.readers.number_columns import has_number_type
from zoo.data.readers.profile import is_number
from zoo.data.readers.table import as_texts
from zoo.data.readers.tables import open_table
from zoo.errors import DataError, UserError
from zoo.option_names import option_name

# Usual names of columns, in lower case.
ID = ("id", "node", "node_id", "name")
LABEL = ("label", "labels", "class", "category", "y", "modularity_class")
FEW = 10  # labels of which nothing is said
SPLIT = ("split", "part", "set")
PARTS = {**{name: name for name in MASKS}, "training": "train", "val": "validation",
         "valid": "validation", "dev": "validation"}  # fmt: skip
NOTHING = {"nodes": np.zeros((0, 0), "float32")}  # of nodes without a table
BETWEEN = "|"  # of several labels in a cell


def read_tables(
    nodes: Path | None, edges: Path, options: ReadOptions = DEFAULT, multi_label: bool = False
) -> Graph:
    """Reads a graph.

    The table of nodes has their ids, maybe features, which are numbers, maybe their labels and the
    split ("train", "validation" or "test") of those that have one. The table of edges has the ids
    of their two ends, and maybe features. If nodes have no features, those that only edges name are
    nodes without a label.

    Args:
        nodes: The table of nodes: CSV, TSV, JSON, JSONL or Parquet, with names of columns; or None
            if there are edges alone.
        edges: The table of edges.
        options: How tables are read.
        multi_label: Whether a node can have several labels, with | between them.

    Raises:
        DataError: If a row is invalid: its id was there before, a feature is not a finite number,
            or an end of its edge is no node.
        UserError: If a file is missing, or a column is.
    """
    ends, of_edges = _ends(edges, options)
    every = {name for column in ends for name in column}
    ids, parts = ([], NOTHING) if nodes is None else _nodes(nodes, options, multi_label, every)
    if edges.name.endswith(MATRIX):
        ends = counted_like(ids, ends)
        every = {name for column in ends for name in column}
    if not parts["nodes"].shape[1]:
        ids = ids + sorted(every - set(ids), key=_natural)
        parts = {name: _filled(name, part, len(ids)) for name, part in parts.items()}
    number = {name: index for index, name in enumerate(ids)}
    pair = [
        _numbers(of_edges, number, column, role)
        for column, role in zip(ends, ("source", "target"), strict=True)
    ]
    return Graph(
        edges=np.array(pair, "int64").reshape(2, -1),
        **parts,
        edge_features=of_edges.features() if of_edges.finder.left else None,
        edge_columns=[*of_edges.finder.left] or None,
        ids=ids,
        path=str(edges.parent),
    )


def _open(
    path: Path, what: str, named: Sequence[str | None], encoding: str | None, header: bool
) -> GraphColumns:
    usual = [*ID, *LABEL, *SPLIT, *SOURCE, *TARGET]
    reader = open_table(path, what, [*filter(None, named), *usual], encoding)
    table, _ = reader.read().without_bad(skip=False)
    return GraphColumns(expanded(table) if table.header else table, what, header)


def _ends(edges: Path, options: ReadOptions) -> tuple[list[list[str]], GraphColumns]:
    """The ids at both ends of the edges, and the other columns of their table."""
    given = options.names.source, options.names.target
    if is_edge_list(edges, options.encoding):
        columns = GraphColumns(read_edge_list(edges, options.encoding), "edges", header=False)
    else:
        columns = _open(edges, "edges", given, options.encoding, header=False)
    usual: list[tuple[str, ...]] = [SOURCE, TARGET]
    names = [name.lower() for name in columns.finder.left]
    alone = len(names) == 2 and not any(name in [*SOURCE, *TARGET] for name in names)
    if not any(given) and (alone or names[:2] == ["1", "2"]):  # the two ends, or no names at all
        usual = [(names[0],), (names[1],)]
    ends = [
        columns.finder.take_texts(name, known, role, required=True) or []
        for name, known, role in zip(given, usual, ("source", "target"), strict=True)
    ]
    for name in columns_of_gephi(columns.finder):
        columns.finder.left.pop(name)
    return ends, columns


def _nodes(
    path: Path, options: ReadOptions, multi_label: bool, ends: set[str]
) -> tuple[list[str], dict[str, Any]]:
    """The ids of nodes, and the parts of a graph that belong to them."""
    given = options.names
    named = given.id, given.label, given.split
    header = not path.name.startswith("labels.")
    columns = _open(path, "nodes", named, options.encoding, header)
    finder = columns.finder
    split = finder.take_texts(given.split, SPLIT, "split")
    masks = masks_of(finder) if split is None else {}
    usual = ID if finder.find(None, ID) else _holding(finder, ends)
    ids = finder.take_texts(given.id, usual, "id", required=True) or []
    names_of_nodes = [] if multi_label or given.label in LABEL else _pop_names(finder)
    usual = LABEL if finder.find(None, LABEL) else _words(finder)
    label = finder.take_texts(given.label, usual, "label")
    if label is None and names_of_nodes:
        few = [*filter(lambda name: _repeats(finder.left[name]), finder.left)]
        raise UserError(
            f"{path}: the {names_of_nodes[0]} of most nodes is its own, a name and no class: name "
            f"the column of labels with {option_name('label_column')}"
            + (f", such as {few[0]}" if few else "")
        )
    _check_distinct(columns, ids)
    classes: list[str] | None = None
    labels: Any = label
    if label is not None and multi_label:
        classes, labels = _several(str(path), label)
    names = [*finder.left]
    parts = {"nodes": columns.features(), "labels": labels, "classes": classes, "columns": names}
    return ids, {**parts, **masks, **_masks(columns, split)}


def _holding(finder: ColumnFinder, ends: set[str]) -> tuple[str, ...]:
    """The column that has all ends of edges, each once, if there is exactly one."""
    holding = []
    for name, column in finder.left.items():
        cells = as_texts(column)
        distinct = {cell.strip() for cell in cells}
        if len(set(cells)) == len(cells) and ends and ends <= distinct:
            holding.append(name.strip().lower())
    return (holding[0],) if len(holding) == 1 else ID


def _words(finder: ColumnFinder) -> tuple[str, ...]:
    """The only column that is no number, or the only column, if it repeats few values: labels."""
    words = [name for name, column in finder.left.items() if not _is_numeric(column)]
    candidates = words or (list(finder.left) if len(finder.left) == 1 else [])
    cells = {name: as_texts(finder.left[name]) for name in candidates}
    few = [name for name in candidates if 2 * len(set(cells[name])) <= len(cells[name])]
    return (few[0].strip().lower(),) if len(candidates) == len(few) == 1 else LABEL


def _pop_names(finder: ColumnFinder) -> list[str]:
    """Takes columns of the usual name of labels in which most nodes have one of their own."""
    named = [name for name in finder.left if name.strip().lower() in LABEL]
    names = [name for name in named if not _repeats(finder.left[name])]
    for name in names:
        del finder.left[name]
    return names


def _repeats(column: pa.ChunkedArray) -> bool:
    """Whether a column has few cells, or each of its values twice on average."""
    cells = [cell for cell in as_texts(column) if cell]
    return len(cells) < FEW or 2 * len(set(cells)) <= len(cells)


def _is_numeric(column: pa.ChunkedArray) -> bool:
    """Whether every cell is a number; booleans are words."""
    if has_number_type(column):
        return not column.null_count
    return all(map(is_number, as_texts(column)))


def _filled(name: str, part: Any, count: int) -> Any:
    """A part of a graph with more nodes, which have no label and are in no mask."""
    if part is None or name in ("classes", "columns"):
        return part
    missing = count - len(part)
    if isinstance(part, list):
        return part + [UNKNOWN] * missing
    widths = [(0, missing), *[(0, 0)] * (part.ndim - 1)]
    return np.pad(part, widths, constant_values=-1 if name == "labels" else 0)


def _natural(name: str) -> tuple[int, str]:
    return len(name), name  # 2 before 10


def _check_distinct(columns: GraphColumns, ids: Sequence[str]) -> None:
    first: dict[str, int] = {}
    for line, name in zip(columns.lines, ids, strict=True):
        if name in first:
            raise DataError(
                columns.path, line, f"the id {name!r} is that of line {first[name]}, too"
            )
        first[name] = line


def _numbers(
    columns: GraphColumns, number: dict[str, int], names: Sequence[str], role: str
) -> list[int]:
    """The numbers of the nodes at one end of the edges."""
    numbers = [number.get(name, -1) for name in names]
    if -1 in numbers:
        row = numbers.index(-1)
        reason = f"the {role} {names[row]!r:.40} is not the id of a node"
        raise DataError(columns.path, columns.lines[row], reason)
    return numbers


def _masks(columns: GraphColumns, split: Sequence[str] | None) -> dict[str, Any]:
    if split is None:
        return {}
    parts = [PARTS.get(cell.lower(), cell) for cell in split]
    for line, part in zip(columns.lines, parts, strict=True):
        if part not in ("", *MASKS):
            choices = ", ".join(MASKS)
            raise DataError(
                columns.path, line, f"split must be {choices} or empty, got {part!r:.40}"
            )
    return {name: np.array([part == name for part in parts]) for name in MASKS if name in parts}


def _several(path: str, cells: Sequence[str]) -> tuple[list[str], np.ndarray]:
    """The names of all labels, and which of them each node has; -1 in rows without any."""
    rows = [{part.strip() for part in cell.split(BETWEEN)} - {UNKNOWN} for cell in cells]
    classes = sorted(set().union(*rows))
    if len(rows) * len(classes) > MAX_LABELS:
        raise UserError(f"{path}: {len(classes):,} labels are too many for {len(rows):,} nodes")
    column = {name: index for index, name in enumerate(classes)}
    matrix = np.zeros((len(rows), len(classes)), "int8")
    for index, row in enumerate(rows):
        matrix[index, [column[name] for name in row]] = 1
    matrix[[not row for row in rows]] = -1
    return classes, matrix
