"""A graph whose nodes have features and, for training, labels."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from zoo.data.graphs.limits import MAX_EDGES, MAX_FEATURES, MAX_LABEL, MAX_NODES
from zoo.data.readers.files import IN_MEMORY
from zoo.errors import UserError

MASKS = TRAIN, VALIDATION, TEST = ("train", "validation", "test")
UNKNOWN = ""  # the label of a node without one


@dataclass(frozen=True, eq=False)
class Graph:
    """A graph: features of its nodes, edges between them, and the labels of nodes.

    Edges are directed: the node `edges[1, e]` attends to the node `edges[0, e]`. For a graph whose
    edges have no direction, see `undirected`.

    Args:
        nodes: Features of the nodes, (N, D).
        edges: Numbers of the nodes at the beginning and at the end of each edge, (2, E).
        labels: The label of each node, "" or None where it is unknown; or, if a node can have
            several labels, an array (N, C) of 0 and 1, and -1 in rows that are unknown.
        train: Which nodes to train on, (N,) of booleans. Default: all that have a label, and are
            in no other mask.
        validation: Which nodes to select the best epoch with. Default: none; in separate validation
            data, all that have a label, and are in no other mask.
        test: Which nodes to evaluate. Default: all that have a label, and are in no other mask.
        edge_features: Features of the edges, (E, F); or None.
        ids: Names of the nodes. Default: their numbers.
        classes: Names of the C columns of labels. Default: their numbers.
        path: Where the graph comes from, for messages.
        columns: Names of the D features of nodes, by which a model finds them; or None.
        edge_columns: Names of the F features of edges; or None.

    Raises:
        UserError: If the parts do not fit together, an edge names a node that does not exist, an
            id is there twice, a feature is not a finite number, or the graph is too large.

    Example:
        >>> graph = Graph(np.eye(3), [[0, 1], [1, 2]], labels=["a", None, "b"])
        >>> graph.nodes.dtype.name, graph.undirected().edges.tolist()
        ('float32', [[0, 1, 1, 2], [1, 0, 2, 1]])
    """

    nodes: Any
    edges: Any
    labels: Any = None
    train: Any = None
    validation: Any = None
    test: Any = None
    edge_features: Any = None
    ids: Sequence[str] | None = None
    classes: Sequence[str] | None = None
    path: str = IN_MEMORY
    columns: Sequence[str] | None = None
    edge_columns: Sequence[str] | None = None

    def __post_init__(self) -> None:
        nodes = self._features("nodes", self.nodes)
        self._set("nodes", nodes)
        self._set("edges", self._ends(len(nodes)))
        if self.edge_features is not None:
            features = self._features("edge_features", self.edge_features)
            self._check_count("edge_features", features, self.edges.shape[1], "edges")
            self._set("edge_features", features)
        if self.labels is not None:
            self._set("labels", self._labels())
            self._check_count("labels", self.labels, len(nodes), "nodes")
        for name in MASKS:
            mask = getattr(self, name)
            if mask is not None:
                mask = np.asarray(mask)
                if mask.dtype != bool or mask.shape != (len(nodes),):
                    shape = f"of the shape ({len(nodes)},), one for each node"
                    given = f"{mask.dtype} of the shape {mask.shape}"
                    raise self._error(f"{name} must be booleans {shape}; got {given}")
                self._set(name, mask)
        if self.ids is not None:
            ids = [str(each) for each in self.ids]
            self._check_count("ids", ids, len(nodes), "nodes")
            if len(set(ids)) < len(ids):
                raise self._error(f"the id {_first_repeated(ids)!r} is there twice")
            self._set("ids", ids)
        if self.classes is not None:
            self._set("classes", self._class_names())

    def _set(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)

    def _error(self, message: str) -> UserError:
        return UserError(f"{self.path}: {message}")

    def _features(self, name: str, values: Any) -> np.ndarray:
        values = np.asarray(values)
        if values.ndim != 2 or values.dtype.kind not in "fiub":
            kind = f"{values.dtype} with {values.ndim} axes"
            raise self._error(f"{name} must be numbers with two axes, got {kind}")
        self._check_most(name, len(values), MAX_NODES if name == "nodes" else MAX_EDGES)
        self._check_most(f"bytes of {name}", 4 * values.size, MAX_FEATURES)
        with np.errstate(over="ignore"):  # it is infinite then
            values = np.ascontiguousarray(values, "float32")
        if not np.isfinite(values).all():
            row, column = np.argwhere(~np.isfinite(values))[0]
            raise self._error(f"feature {column} of row {row} of {name} is not a finite number")
        return values

    def _ends(self, count: int) -> np.ndarray:
        edges = np.asarray(self.edges)
        if edges.size == 0:
            edges = np.zeros((2, 0), "int32")
        if edges.ndim != 2 or len(edges) != 2 or edges.dtype.kind not in "iu":
            kind = f"{edges.dtype} {edges.shape}"
            raise self._error(f"edges must be integers of the shape (2, E), got {kind}")
        self._check_most("edges", edges.shape[1], MAX_EDGES)
        missing = (edges < 0) | (edges >= count)
        if missing.any():
            end, edge = np.argwhere(missing)[0]
            names = f"node {edges[end, edge]}, and the nodes are 0 to {count - 1}"
            raise self._error(f"edge {edge} names {names}")
        return np.ascontiguousarray(edges, "int32")

    def _labels(self) -> np.ndarray:
        labels = np.asarray(self.labels)
        if labels.ndim == 2:
            if labels.dtype.kind not in "fiub" or not np.isin(labels, (-1, 0, 1)).all():
                raise self._error("labels with two axes must be 0, 1, or -1 where unknown")
            return labels.astype("int8")
        if labels.ndim != 1:
            raise self._error(f"labels must have one or two axes, got {labels.ndim}")
        # Not str(label) of the array, which would have made "None" of None beside strings.
        named = [_label(each) for each in self.labels]
        longest = max(map(len, named), default=0)
        self._check_most("characters of a label", longest, MAX_LABEL)
        return np.array(named, str)

    def _class_names(self) -> list[str]:
        names = [str(each) for each in self.classes or ()]
        columns = self.labels.shape[1] if self.multi_label else None
        if columns != len(names) or len(set(names)) < len(names):
            wanted = f"{columns} names" if columns is not None else "labels with two axes"
            raise self._error(f"classes must be distinct, and need {wanted}; got {names!r:.80}")
        return names

    def _check_most(self, what: str, count: int, most: int) -> None:
        if count > most:
            raise self._error(f"it has {count:,} {what}; {most:,} are the limit")

    def _check_count(self, name: str, values: Any, count: int, of: str) -> None:
        if len(values) != count or np.ndim(values) > 2:
            raise self._error(f"{name} must have an entry for each of {count} {of}")

    @property
    def multi_label(self) -> bool:
        """Whether a node can have several labels."""
        return self.labels is not None and self.labels.ndim == 2

    @property
    def label_names(self) -> list[str]:
        """The names of the labels in use, sorted; of several per node those of the columns."""
        if self.labels is None:
            return []
        if self.multi_label:
            return list(self.classes or map(str, range(self.labels.shape[1])))
        return sorted(set(self.labels.tolist()) - {UNKNOWN})

    @property
    def known(self) -> np.ndarray:
        """Which nodes have a label, (N,) of booleans."""
        if self.labels is None:
            return np.zeros(len(self.nodes), bool)
        if self.multi_label:
            return (self.labels >= 0).all(axis=1)
        return self.labels != UNKNOWN

    def part(self, name: str) -> np.ndarray:
        """Which nodes to train, validate or test on: (N,) of booleans.

        Args:
            name: "train", "validation" or "test".
        """
        mask = getattr(self, name)
        if mask is None:
            others = [getattr(self, each) for each in MASKS if each != name]
            mask = ~np.any([each for each in others if each is not None] or [False], axis=0)
        return mask & self.known

    @property
    def names(self) -> list[str]:
        """The ids of the nodes, or their numbers."""
        return list(self.ids or map(str, range(len(self.nodes))))

    def undirected(self) -> Self:
        """The graph with every edge in both directions, sorted, each of them once."""
        edges = np.concatenate([self.edges, self.edges[::-1]], axis=1)
        keys = edges[0].astype("int64") * max(len(self.nodes), 1) + edges[1]
        _, kept = np.unique(keys, return_index=True)
        features = self.edge_features
        if features is not None:
            features = np.concatenate([features, features])[kept]
        return replace(self, edges=edges[:, kept], edge_features=features)

    def __len__(self) -> int:
        return len(self.nodes)

    def __str__(self) -> str:
        return f"graph of {len(self):,} nodes and {self.edges.shape[1]:,} edges"


def _label(value: Any) -> str:
    return UNKNOWN if value is None or value != value else str(value)


def _first_repeated(ids: Sequence[str]) -> str:
    return next(each for each, count in Counter(ids).items() if count > 1)
