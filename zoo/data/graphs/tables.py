"""Reads a graph from two tables: one of nodes, and one of edges between their ids."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from zoo.data.graphs.graph import MASKS, UNKNOWN, Graph
from zoo.data.readers.named_columns import NamedColumns
from zoo.data.readers.tables import read_table
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
BETWEEN = "|"  # of several labels in a cell


def read_tables(nodes: Path, edges: Path, options: Any = None) -> Graph:
    """Reads a graph.

    The table of nodes has their ids, their features, which are numbers, and maybe their labels and
    the split ("train", "validation" or "test") of those that have one. The table of edges has the
    ids of their two ends, and maybe features.

    Args:
        nodes: The table of nodes: CSV, TSV, JSON, JSONL or Parquet, with names of columns.
        edges: The table of edges.
        options: Names of columns; see `zoo.tasks.options.node_classifier.GraphColumns`.

    Raises:
        DataError: If a row is invalid: its id was there before, a feature is not a finite number,
            or an end of its edge is no node.
        UserError: If a file is missing, or a column is.
    """
    given = {role: getattr(options, f"{role}_column", None) for role in ROLES}
    encoding = getattr(options, "encoding", None)
    of_nodes = _Columns(nodes, "nodes", [given[role] for role in ROLES[:3]], encoding)
    ids = of_nodes.take(given["id"], ID, "id", required=True) or []
    label = of_nodes.take(given["label"], LABEL, "label")
    split = of_nodes.take(given["split"], SPLIT, "split")
    _check_distinct(of_nodes, ids)
    columns, features = [*of_nodes.left], of_nodes.features()
    number = {name: place for place, name in enumerate(ids)}
    ends = _Columns(edges, "edges", [given[role] for role in ROLES[3:]], encoding)
    pair = [
        _numbers(ends, number, given[role], usual, role)
        for role, usual in (("source", SOURCE), ("target", TARGET))
    ]
    classes: list[str] | None = None
    labels: Any = label
    if label is not None and getattr(options, "multi_label", None):
        classes, labels = _several(label)
    return Graph(
        features,
        np.array(pair, "int64").reshape(2, -1),
        labels,
        **_masks(of_nodes, split),
        edge_features=ends.features() if ends.left else None,
        ids=ids,
        classes=classes,
        path=str(nodes.parent),
        columns=columns,
        edge_columns=[*ends.left] or None,
    )


ROLES = ("id", "label", "split", "source", "target")


class _Columns(NamedColumns):
    """The columns of a table, of which roles take some; the others are features."""

    def __init__(
        self, path: Path, what: str, named: Sequence[str | None], encoding: str | None
    ) -> None:
        usual = [*ID, *LABEL, *SPLIT, *SOURCE, *TARGET]
        super().__init__(read_table(path, what, [*filter(None, named), *usual], encoding), what)

    def features(self) -> np.ndarray:
        """All columns that are left, (rows, columns)."""
        if not self.left:
            raise UserError(f"{self.path} has no features: add columns of numbers")
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


def _numbers(
    table: _Columns, number: dict[str, int], given: str | None, usual: Sequence[str], role: str
) -> list[int]:
    """The numbers of the nodes at one end of the edges."""
    names = table.take(given, usual, role, required=True) or []
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


def _several(cells: Sequence[str]) -> tuple[list[str], np.ndarray]:
    """The names of all labels, and which of them each node has; -1 in rows without any."""
    rows = [{part.strip() for part in cell.split(BETWEEN)} - {UNKNOWN} for cell in cells]
    classes = sorted(set().union(*rows))
    found = np.array([[name in row for name in classes] for row in rows], "int8")
    found[[not row for row in rows]] = -1
    return classes, found
