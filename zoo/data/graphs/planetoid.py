"""The reader of Planetoid's files, in which Cora, Citeseer and PubMed were published."""

from pathlib import Path
from typing import Any

import numpy as np

from zoo.data.graphs.graph import UNKNOWN, Graph
from zoo.data.graphs.limits import MAX_FEATURES
from zoo.data.graphs.pickles import read_pickle
from zoo.data.readers.files import read_lines
from zoo.errors import DataError, UserError, reason_of

VALIDATION_NODES = 500
PARTS = ("y", "tx", "ty", "allx", "ally", "graph")


def is_planetoid(folder: Path) -> bool:
    """Whether a folder has files such as ind.cora.graph."""
    return any(folder.glob("ind.*.graph"))


def read_planetoid(folder: Path) -> Graph:
    """Reads a graph with its public split.

    Nodes that the test index leaves out (Citeseer has 15 of them, without features) have no label.

    Source: Yang et al. 2016, section 5.2 (20 training nodes per class, 1,000 test nodes); Kipf &
        Welling 2017, section 5.1 (500 validation nodes, which follow those of the training).

    Args:
        folder: A folder with the files ind.NAME.y, .tx, .ty, .allx, .ally, .graph and
            .test.index of one data set.

    Returns:
        The `Graph`, with every edge in both directions.

    Raises:
        UserError: If a file is missing or damaged, or they do not fit together.
    """
    names = sorted(path.name.split(".")[1] for path in folder.glob("ind.*.graph"))
    if len(names) != 1:
        raise UserError(f"{folder} has several graphs, {', '.join(names)}: give each its folder")
    path = folder / f"ind.{names[0]}"
    parts = {part: read_pickle(Path(f"{path}.{part}")) for part in PARTS}
    tested = _numbers(Path(f"{path}.test.index"))
    try:
        return _assembled(parts, tested, str(folder))
    except (ValueError, TypeError, LookupError, AttributeError, OverflowError) as error:
        if isinstance(error, UserError):
            raise
        raise UserError(f"the files {path}.* do not fit together: {reason_of(error)}") from None


def _assembled(parts: dict[str, Any], tested: np.ndarray, path: str) -> Graph:
    first = len(parts["allx"])
    count = max(first, int(tested.max(initial=-1)) + 1)
    if count > first + 2 * len(tested) + 1000:
        raise ValueError(f"the test index has node {count - 1}")
    widths = parts["allx"].shape[1], parts["ally"].shape[1]
    if 4 * count * max(widths) > MAX_FEATURES:
        raise ValueError(f"{count} nodes of {max(widths)} numbers are too large")
    nodes = np.zeros((count, parts["allx"].shape[1]), "float32")
    classes = np.zeros((count, parts["ally"].shape[1]))
    nodes[:first], classes[:first] = parts["allx"], parts["ally"]
    nodes[tested], classes[tested] = parts["tx"], parts["ty"]
    labels = np.where(classes.any(axis=1), classes.argmax(axis=1).astype(str), UNKNOWN)
    train, validation, test = np.zeros((3, count), bool)
    start = len(parts["y"])
    train[:start], test[tested] = True, True
    validation[start : min(start + VALIDATION_NODES, first)] = True
    ends = [(int(node), int(other)) for node, others in parts["graph"].items() for other in others]
    edges = np.array(ends, "int64").reshape(-1, 2).T
    return Graph(nodes, edges, labels, train, validation, test, path=path).undirected()


def _numbers(path: Path) -> np.ndarray:
    numbers = []
    for number, line in enumerate(read_lines(path), 1):
        if line.strip():
            if not line.strip().isdecimal() or len(line) > 12:
                raise DataError(path, number, f"expected the number of a node, found {line!r:.20}")
            numbers.append(int(line))
    return np.array(numbers, "int64")
