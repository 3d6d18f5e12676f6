"""Reads a graph from two tables: one of nodes, and one of edges between their ids."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from zoo.data.graphs.graph import MASKS, UNKNOWN, Graph
from zoo.data.graphs.limits import MAX_LABELS
from zoo.data.readers.files import format_of, read_lines
from zoo.data.readers.named_columns import NamedColumns
from zoo.data.readers.rows import Row
from zoo.data.readers.tables import Table, read_table
from zoo.errors import DataError, UserError

# Usual names of columns, in lower case.
ID = ("id", "node", "node_id", "name")
LABEL = ("label", "labels", "class", "category", "y")
SPLIT = ("split", "part", "set")
SOURCE = ("source", "src", "from", "source_id")
TARGET = ("target", "dst", "to", "target_id")
PARTS = {**{name: name for name in MASKS}, "training": "train", "val": "validation",
         "valid": "validation", "dev": "validation"}  # fmt: skip
LARGEST = float(np.finfo("float32").max)
EDGE_LISTS = (".edgelist", ".edges", ".txt")  # formats of edges beside tables
BETWEEN = "|"  # of several labels in a cell


def read_tables(nodes: Path | None, edges: Path, options: Any = None) -> Graph:
    """Reads a graph.

    The table of nodes has their ids, maybe features, which are numbers, maybe their labels and the
    split ("train", "validation" or "test") of those that have one. The table of edges has the ids
    of their two ends, and maybe features. If nodes have no features, those that only edges name are
    nodes without a label.

    Args:
        nodes: The table of nodes: CSV, TSV, JSON, JSONL or Parquet, with names of columns; or None
            if there are edges alone.
        edges: The table of edges.
        options: Names of columns; see `zoo.tasks.options.node_classifier.GraphColumns`.

    Raises:
        DataError: If a row is invalid: its id was there before, a feature is not a finite number,
            or an end of its edge is no node.
        UserError: If a file is missing, or a column is.
    """
    named = [getattr(options, f"{role}_column", None) for role in ROLES[:3]]
    header = nodes is not None and not nodes.name.startswith("labels.")
    encoding = getattr(options, "encoding", None)
    of_nodes = None if nodes is None else _Columns(nodes, "nodes", named, encoding, header)
    ends, of_edges = _ends(edges, options)
    ids, parts = _nodes(of_nodes, named, options, {name for column in ends for name in column})
    if not parts["nodes"].shape[1]:
        ids += sorted({name for column in ends for name in column} - set(ids), key=_natural)
        parts = {name: _filled(name, part, len(ids)) for name, part in parts.items()}
    number = {name: place for place, name in enumerate(ids)}
    pair = [
        _numbers(of_edges, number, column, role)
        for column, role in zip(ends, ROLES[3:], strict=True)
    ]
    return Graph(
        edges=np.array(pair, "int64").reshape(2, -1),
        **parts,
        edge_features=of_edges.features() if of_edges.left else None,
        edge_columns=[*of_edges.left] or None,
        ids=ids,
        path=str(edges.parent),
    )


def _ends(edges: Path, options: Any) -> tuple[list[list[str]], "_Columns"]:
    """The ids at both ends of the edges, and the other columns of their table."""
    given = [getattr(options, f"{role}_column", None) for role in ROLES[3:]]
    encoding = getattr(options, "encoding", None)
    listed = _edge_list(edges, encoding) if format_of(edges) in EDGE_LISTS else None
    table = _Columns(edges, "edges", given, encoding, False, listed)
    usual: list[tuple[str, ...]] = [SOURCE, TARGET]
    names = [name.lower() for name in table.left]
    alone = len(names) == 2 and not any(name in [*SOURCE, *TARGET] for name in names)
    if not any(given) and (alone or names[:2] == ["1", "2"]):  # the two ends, or no names at all
        usual = [(names[0],), (names[1],)]
    ends = [
        table.take(name, known, role, required=True) or []
        for name, known, role in zip(given, usual, ROLES[3:], strict=True)
    ]
    return ends, table


def _edge_list(path: Path, encoding: str | None) -> Table:
    """Edges as SNAP and NetworkX write them: two ids with spaces between, maybe weights.

    Lines that start with "#" or "%" are comments; the attributes of NetworkX, `{...}`, are ignored.
    """
    rows = []
    for number, line in enumerate(read_lines(path, encoding), 1):
        text = line.partition("{")[0].strip()
        rows.append(Row(number, [] if text.startswith(("#", "%")) else text.split()))
    width = max((len(row.cells) for row in rows), default=0)
    names = [str(place) for place in range(1, width + 1)]
    for place, row in enumerate(rows):
        if row.cells and len(row.cells) != width:
            reason = f"expected {width} columns, found {len(row.cells)}"
            rows[place] = row._replace(reason=reason)
    return Table(str(path), names, False, [], iter(rows))


def _nodes(
    table: "_Columns | None", given: Sequence[str | None], options: Any, ends: set[str]
) -> tuple[list[str], dict[str, Any]]:
    """The ids of nodes, and the parts of a graph that belong to them."""
    if table is None:
        return [], {"nodes": np.zeros((0, 0), "float32")}
    split = table.take(given[2], SPLIT, "split")
    usual = ID if table.find(None, ID) else _holding(table, ends)
    ids = table.take(given[0], usual, "id", required=True) or []
    label = table.take(given[1], LABEL if table.find(None, LABEL) else _words(table), "label")
    _check_distinct(table, ids)
    classes: list[str] | None = None
    labels: Any = label
    if label is not None and getattr(options, "multi_label", None):
        classes, labels = _several(table.path, label)
    columns = [*table.left]
    parts = {"nodes": table.features(), "labels": labels, "classes": classes, "columns": columns}
    return ids, {**parts, **_masks(table, split)}


def _holding(table: "_Columns", ends: set[str]) -> tuple[str, ...]:
    """The column that has all ends of edges, each once, if there is exactly one."""
    found = [
        name
        for name, cells in table.left.items()
        if len(set(cells)) == len(cells) and ends and ends <= {cell.strip() for cell in cells}
    ]
    return (found[0].strip().lower(),) if len(found) == 1 else ID


def _words(table: "_Columns") -> tuple[str, ...]:
    """The only column that is no number, or the only column, if it repeats few values: labels."""
    words = [name for name, cells in table.left.items() if not all(map(_is_number, cells))]
    found = words or (list(table.left) if len(table.left) == 1 else [])
    few = [x for x in found if 2 * len(set(table.left[x])) <= len(table.left[x])]
    return (few[0].strip().lower(),) if len(found) == len(few) == 1 else LABEL


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


ROLES = ("id", "label", "split", "source", "target")


class _Columns(NamedColumns):
    """The columns of a table, of which roles take some; the others are features."""

    def __init__(
        self,
        path: Path,
        what: str,
        named: Sequence[str | None],
        encoding: str | None,
        header: bool = True,
        table: Table | None = None,
    ) -> None:
        usual = [*ID, *LABEL, *SPLIT, *SOURCE, *TARGET]
        table = table or read_table(path, what, [*filter(None, named), *usual], encoding)
        super().__init__(table, what, header)

    def features(self) -> np.ndarray:
        """All columns that are left, (rows, columns)."""
        found = np.empty((len(self.lines), len(self.left)), "float32")
        for place, (name, cells) in enumerate(self.left.items()):
            try:
                numbers = np.array(cells, "float64")
            except (ValueError, OverflowError):
                self._refuse(name, cells)
            if not (np.abs(numbers) <= LARGEST).all():
                self._refuse(name, cells)
            found[:, place] = numbers
        return found

    def _refuse(self, name: str, cells: Sequence[str]) -> NoReturn:
        row = next(row for row, cell in enumerate(cells) if not _is_finite(cell))
        reason = f"{name} must be a finite number, got {cells[row]!r:.40}"
        raise DataError(self.path, self.lines[row], reason)


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _is_finite(cell: str) -> bool:
    try:
        return abs(float(cell)) <= LARGEST
    except (ValueError, OverflowError):
        return False


def _check_distinct(table: _Columns, ids: Sequence[str]) -> None:
    first: dict[str, int] = {}
    for line, name in zip(table.lines, ids, strict=True):
        if name in first:
            raise DataError(table.path, line, f"the id {name!r} is that of line {first[name]}, too")
        first[name] = line


def _numbers(table: _Columns, number: dict[str, int], names: Sequence[str], role: str) -> list[int]:
    """The numbers of the nodes at one end of the edges."""
    found = [number.get(name, -1) for name in names]
    if -1 in found:
        row = found.index(-1)
        reason = f"the {role} {names[row]!r:.40} is not the id of a node"
        raise DataError(table.path, table.lines[row], reason)
    return found


def _masks(table: _Columns, split: Sequence[str] | None) -> dict[str, Any]:
    if split is None:
        return {}
    parts = [PARTS.get(cell.lower(), cell) for cell in split]
    for line, part in zip(table.lines, parts, strict=True):
        if part not in ("", *MASKS):
            choices = ", ".join(MASKS)
            raise DataError(table.path, line, f"split must be {choices} or empty, got {part!r:.40}")
    return {name: np.array([part == name for part in parts]) for name in MASKS if name in parts}


def _several(path: str, cells: Sequence[str]) -> tuple[list[str], np.ndarray]:
    """The names of all labels, and which of them each node has; -1 in rows without any."""
    rows = [{part.strip() for part in cell.split(BETWEEN)} - {UNKNOWN} for cell in cells]
    classes = sorted(set().union(*rows))
    if len(rows) * len(classes) > MAX_LABELS:
        raise UserError(f"{path}: {len(classes):,} labels are too many for {len(rows):,} nodes")
    column = {name: place for place, name in enumerate(classes)}
    found = np.zeros((len(rows), len(classes)), "int8")
    for place, row in enumerate(rows):
        found[place, [column[name] for name in row]] = 1
    found[[not row for row in rows]] = -1
    return classes, found
