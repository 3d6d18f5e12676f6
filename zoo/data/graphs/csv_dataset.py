"""The parts of CSV data sets of DGL: masks of nodes, and features in one cell."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from zoo.data.graphs.graph import TEST, TRAIN, VALIDATION
from zoo.data.readers.column_finder import ColumnFinder
from zoo.data.readers.profile import FLAGS, is_number
from zoo.data.readers.table import Table, as_texts, is_text
from zoo.errors import DataError, UserError

GRAPH = "graph_id"
MASK_COLUMNS = {
    TRAIN: ("train_mask", "train"),
    VALIDATION: ("val_mask", "validation_mask", "valid_mask"),
    TEST: ("test_mask", "test"),
}
BOOLEANS = {**FLAGS, "1": True, "0": False, "1.0": True, "0.0": False}
BETWEEN = ","  # of the features in a cell


def expanded(table: Table) -> Table:
    """A table of one graph, with a column for each number of cells such as `0.5, 1.0, 2.0`.

    Args:
        table: Any table, which is returned as it is if it has no such cells.

    Raises:
        DataError: If cells of a column have different numbers of features.
        UserError: If the rows are those of several graphs.

    Example:
        >>> columns = {"id": ["a", "b"], "feat": ["1, 2", "3, 4"]}
        >>> expanded(Table("a.csv", pa.table(columns), np.array([2, 3]))).names
        ['id', 'feat 1', 'feat 2']
    """
    columns: dict[str, Any] = {}
    for name, column in zip(table.names, table.data.columns, strict=True):
        cells = as_texts(column) if is_text(column) else []
        if name.strip().lower() == GRAPH:
            if len({*as_texts(column)}) > 1:
                raise UserError(
                    f"{table.path} has several graphs in the column {name}: write a folder with "
                    "nodes.csv and edges.csv for each, and give all with --data"
                )
            continue
        if not (cells and _are_features(cells)):
            columns[name] = column
            continue
        rows = [cell.strip("[] ").split(BETWEEN) for cell in cells]
        for line, row in zip(table.lines.tolist(), rows, strict=True):
            if len(row) != len(rows[0]):
                reason = f"{name} has {len(row)} numbers, and {len(rows[0])} in the first row"
                raise DataError(table.path, line, reason)
        for number, own in enumerate(zip(*rows, strict=True), 1):
            columns[f"{name} {number}"] = pa.chunked_array([pa.array(own, pa.string())])
    return Table(table.path, pa.table(columns), table.lines, table.header)


def _are_features(cells: Sequence[str]) -> bool:
    """Whether the cells have several numbers each, with commas and maybe spaces between."""
    rows = [cell.strip("[] ").split(BETWEEN) for cell in cells]
    return len(rows[0]) > 1 and all(is_number(each) for row in rows for each in row)


def masks_of(finder: ColumnFinder) -> dict[str, np.ndarray]:
    """The masks of nodes that columns of true and false have, by name; takes these columns.

    Args:
        finder: The columns of the table of nodes.
    """
    masks = {}
    for mask, usual in MASK_COLUMNS.items():
        name = finder.find(None, usual)
        cells = [cell.strip().lower() for cell in as_texts(finder.left[name])] if name else []
        if name and all(cell in BOOLEANS for cell in cells):
            finder.left.pop(name)
            masks[mask] = np.array([BOOLEANS[cell] for cell in cells])
    return masks
