"""The reader of graphs: from folders, from files, or from memory."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from zoo.data.examples import ExampleRow
from zoo.data.graphs.feature_order import in_order
from zoo.data.graphs.graph import MASKS, TEST, TRAIN, VALIDATION, Graph
from zoo.data.graphs.identity import has_poor_features, with_identity
from zoo.data.graphs.paths import FORMS, graphs_of
from zoo.data.held_out import Part, part_of
from zoo.data.in_memory import InMemory
from zoo.data.readers.column_names import DEFAULT, ReadOptions
from zoo.data.readers.files import Paths, is_path, name_of, paths_of
from zoo.data_statistics import counted
from zoo.errors import UserError

GraphInMemory = Graph | Mapping[str, Any] | tuple[Any, Any]  # or its parts
GraphData = Paths | GraphInMemory | Iterable[GraphInMemory]


@dataclass(frozen=True)
class Graphs(InMemory):
    """Graphs to train or to evaluate on.

    Args:
        graphs: The graphs, at least one.
        identity: Whether nodes have identity features in place of their own.
    """

    graphs: list[Graph]
    identity: bool = False

    @property
    def needs_identity(self) -> bool:
        """Whether this is one graph whose features do not tell its nodes apart."""
        return len(self.graphs) == 1 and has_poor_features(self.graphs[0])

    def with_identity(self) -> Self:
        """The graphs with identity features."""
        return replace(self, graphs=[with_identity(graph) for graph in self.graphs], identity=True)

    @property
    def columns(self) -> dict[str, list[Graph]]:
        return {"graphs": self.graphs}

    @property
    def inputs(self) -> dict[str, list[Any]]:
        return graph_inputs(self.graphs)

    def first_rows(self, count: int) -> list[ExampleRow]:
        """The first graphs, each of which has many answers."""
        return [ExampleRow(graph.path, graph, None) for graph in self.graphs[:count]]

    def part(self, name: str) -> list[np.ndarray]:
        """Which nodes of each graph to train, validate or test on."""
        return [graph.part(name) for graph in self.graphs]

    @property
    def part_to_evaluate(self) -> str:
        """The test nodes; the validation nodes if there are no test nodes."""
        has_test = any(map(np.any, self.part(TEST)))
        return VALIDATION if self.has_validation and not has_test else TEST

    @property
    def has_split(self) -> bool:
        """Whether a graph says which nodes to train, validate or test on."""
        return any(getattr(g, name) is not None for g in self.graphs for name in MASKS)

    @property
    def has_validation(self) -> bool:
        """Whether a graph says which nodes to validate with."""
        return any(g.validation is not None and g.part(VALIDATION).any() for g in self.graphs)

    def own_validation(self) -> Self | None:
        """The graphs to validate with the nodes that they say; None if they do not say any."""
        if not self.has_validation:
            return None
        graphs = [
            _validated(graph, graph.part(TRAIN), graph.part(VALIDATION))
            if graph.validation is not None
            else _validated(graph, graph.part(TRAIN), np.zeros(len(graph), bool))
            for graph in self.graphs
        ]
        return replace(self, graphs=graphs)

    def split(self, part: Part | float, seed: int = 0) -> tuple[Self, Self]:
        """Holds out a part of the training nodes for validation, at random."""
        part = part_of(part)
        random = np.random.default_rng(seed)
        train = self.part(TRAIN)
        held = [mask & part.below(random.random(len(mask)), mask) for mask in train]
        kept = [mask & ~out for mask, out in zip(train, held, strict=True)]
        if not any(map(np.any, held)) or not any(map(np.any, kept)):
            raise UserError(f"{self.path} has too few nodes to hold out {part} for validation")
        graphs = [
            replace(graph, train=inside, validation=outside)
            for graph, inside, outside in zip(self.graphs, kept, held, strict=True)
        ]
        validated = [
            _validated(graph, inside, outside)
            for graph, inside, outside in zip(self.graphs, kept, held, strict=True)
        ]
        return replace(self, graphs=graphs), replace(self, graphs=validated)

    def __str__(self) -> str:
        nodes, edges = (
            sum(sizes)
            for sizes in zip(*((len(g), g.edges.shape[1]) for g in self.graphs), strict=True)
        )
        known = sum(int(graph.known.sum()) for graph in self.graphs)
        train = sum(int(mask.sum()) for mask in self.part(TRAIN))
        labeled = f"{known:,} nodes with a label, {train:,} to train on"
        if (own := self.own_validation()) is not None:
            validation = sum(int(mask.sum()) for mask in own.part(VALIDATION))
            labeled += f", {validation:,} to validate with"
        what = counted(len(self.graphs), "graphs")
        learned = "; a vector is learned for each node, in place of features" * self.identity
        return f"{self.path}: {what} of {nodes:,} nodes and {edges:,} edges; {labeled}{learned}"


def _validated(graph: Graph, train: np.ndarray, validation: np.ndarray) -> Graph:
    """A graph of which the validation nodes are evaluated, and no test nodes."""
    none = np.zeros(len(graph), bool)
    return replace(graph, train=train, validation=validation, test=none)


def read_graphs(
    data: GraphData,
    options: ReadOptions = DEFAULT,
    directed: bool = False,
    multi_label: bool = False,
) -> Graphs:
    """Reads graphs.

    Args:
        data: A folder or a file, a pattern, a list of `pathlib.Path`, a `Graph`, or a list of
            graphs. A folder has Planetoid's files, or tables of nodes and edges, or it has files
            or folders that each have a graph. Of tables, the file may be that of the nodes, beside
            which are the edges.
        options: How tables are read.
        directed: Whether to take edges in their direction only, and not in both.
        multi_label: Whether a node of a table can have several labels, with | between them.

    Returns:
        The `Graphs`.

    Raises:
        UserError: If a file is missing or damaged, or graphs do not have the same features.

    Example:
        >>> print(read_graphs(Graph(np.eye(3), [[0], [1]], labels=["a", "b", ""])))
        data in memory: 1 graph of 3 nodes and 1 edges; 2 nodes with a label, 2 to train on
    """
    path = name_of(data)
    if is_path(data):
        graphs = [x for each in paths_of(data) for x in graphs_of(each, options, multi_label)]
        graphs = graphs if directed else [graph.undirected() for graph in graphs]
    else:
        graphs = [as_graph(each) for each in _listed(data)]
    if not graphs:
        raise UserError(f"{path} has no graphs: expected {FORMS}")
    first = graphs[0]
    graphs = [first, *(in_order(x, first.columns, first.edge_columns) for x in graphs[1:])]
    _check_alike(graphs)
    return Graphs(path, graphs)


def graph_inputs(graphs: list[Graph]) -> dict[str, list[Any]]:
    """The parts of graphs that a model takes, by name."""
    inputs = {name: [getattr(graph, name) for graph in graphs] for name in ("nodes", "edges")}
    if any(graph.edge_features is not None for graph in graphs):
        inputs["edge_features"] = [graph.edge_features for graph in graphs]
    return inputs


def as_graph(given: GraphInMemory) -> Graph:
    """A graph from a `Graph`, from a dictionary of its parts, or from (nodes, edges).

    Raises:
        UserError: If it is none of these.
    """
    if isinstance(given, Graph):
        return given
    try:
        return Graph(**given) if isinstance(given, Mapping) else Graph(*given)
    except TypeError:
        kind = type(given).__name__
        raise UserError(f"a graph must be a zoo.Graph or (nodes, edges), got {kind}") from None


def _listed(data: GraphInMemory | Iterable[GraphInMemory]) -> Iterable[GraphInMemory]:
    return [data] if isinstance(data, Graph | Mapping) else data


def _check_alike(graphs: list[Graph]) -> None:
    first = graphs[0]
    for graph in graphs[1:]:
        for name in ("nodes", "edge_features"):
            widths = [getattr(x, name) for x in (first, graph)]
            sizes = ["no" if x is None else str(x.shape[1]) for x in widths]
            if sizes[0] != sizes[1]:
                what = f"{sizes[1]} features of {name.removesuffix('_features')}"
                raise UserError(f"{graph.path} has {what}, and {first.path} has {sizes[0]}")
        if graph.multi_label != first.multi_label:
            raise UserError(f"{graph.path}: its nodes have several labels, unlike {first.path}")
