"""Graphs as the model takes them: side by side as one, and checked."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np

from zoo.data.graphs.arrays import read_npz
from zoo.data.graphs.feature_order import Names, in_order
from zoo.data.graphs.graph import Graph
from zoo.data.graphs.neighbors import Neighborhoods
from zoo.errors import UserError, damage
from zoo.json_file import read_json, write_json
from zoo.preprocessing.base import Features, Preprocessor, TensorSpec
from zoo.serving.signatures import SERVING_DEFAULT

NODES, EDGES, EDGE_FEATURES = "nodes", "edges", "edge_features"
NAMES = "names"  # of nodes, which models do not read
NO_NODE = -1  # both ends of an edge of padding
CONFIG, SAMPLE = "features.json", "sample.npz"
SAMPLE_NODES = 200  # maximum number of nodes of the sample
SAMPLES = 8  # number of graphs to measure the agreement of two models


class GraphPreprocessor(Preprocessor):
    """Joins the graphs of a batch. Artifacts take one graph, or several that were joined.

    Args:
        num_features: Number of features D of a node.
        num_edge_features: Number of features F of an edge; None if edges have none.
        sample: A part of the training data, to verify artifacts with.
        names: Names of the features of nodes and of edges, each of them None without names.
    """

    feature_signature: ClassVar[str] = SERVING_DEFAULT
    subfolder: ClassVar[str] = "graph"

    def __init__(
        self,
        num_features: int,
        num_edge_features: int | None,
        sample: Graph,
        names: tuple[Names, Names] = (None, None),
    ) -> None:
        self.num_features, self.num_edge_features = num_features, num_edge_features
        self.sample, self.names = sample, names
        self.features = {
            NODES: TensorSpec((NODES, num_features), "float32", 0.0, "the features of each node"),
            EDGES: TensorSpec(
                (2, EDGES),
                "int32",
                NO_NODE,
                "the numbers of the nodes at the beginning and at the end of each edge, from 0; an "
                "edge without such nodes is ignored",
            ),
        }
        if num_edge_features is not None:
            shape = (EDGES, num_edge_features)
            meaning = "the features of each edge"
            self.features[EDGE_FEATURES] = TensorSpec(shape, "float32", 0.0, meaning)
        self.inputs = self.features

    @classmethod
    def of(cls, graphs: Sequence[Graph]) -> Self:
        """The preprocessor for graphs like these."""
        first = graphs[0]
        features = first.edge_features
        sample = Neighborhoods(first).sample(SAMPLE_NODES)
        width = None if features is None else features.shape[1]
        return cls(first.nodes.shape[1], width, sample, (first.columns, first.edge_columns))

    @property
    def columns(self) -> dict[str, Sequence[str]]:
        """The names of features that have them, by input."""
        pairs = zip((NODES, EDGE_FEATURES), self.names, strict=True)
        return {name: names for name, names in pairs if names is not None}

    def in_order(self, graph: Graph) -> Graph:
        """A graph with the features of the training data in their order, if both have names.

        Raises:
            UserError: If a feature is missing.
        """
        return in_order(graph, *self.names)

    def __call__(self, **inputs: Any) -> Features:
        return inputs

    def read(self, inputs: Mapping[str, Sequence[Any]]) -> dict[str, np.ndarray]:
        sizes = np.array([len(nodes) for nodes in inputs[NODES]], "int32")
        self.check(inputs)
        names = [name for each in inputs.get(NAMES, ()) for name in each]
        return {**joined(inputs, self.features), "sizes": sizes, NAMES: np.array(names, object)}

    def check(self, inputs: Mapping[str, Sequence[Any]]) -> None:
        """Raises a `UserError` if graphs do not have the features of the training data."""
        for name, wanted in ((NODES, self.num_features), (EDGE_FEATURES, self.num_edge_features)):
            for values in inputs.get(name, [None] * (wanted is not None)):
                width = None if values is None else values.shape[1]
                if width != wanted:
                    raise UserError(
                        f"{name} must have {wanted or 'no'} features, as in the training data; "
                        f"got {width or 'none'}"
                    )

    def save(self, folder: Path) -> None:
        """Writes the preprocessor to a folder."""
        write_json(folder / CONFIG, {**self.facts(), "columns": self.columns})
        parts = {name: getattr(self.sample, name) for name in self.features}
        np.savez_compressed(folder / SAMPLE, **parts)

    @classmethod
    def load(cls, folder: Path) -> Self:
        """Reads what `save` wrote.

        Raises:
            UserError: If a file is missing or damaged.
        """
        path = folder / CONFIG
        with damage(path):
            facts = read_json(path, dict)
            sizes = int(facts["nodes"]), facts["edges"] and int(facts["edges"])
            columns = {name: [*map(str, x)] for name, x in dict(facts.get("columns", {})).items()}
            names = columns.get(NODES), columns.get(EDGE_FEATURES)
        preprocessor = cls(*sizes, read_npz(folder / SAMPLE), names)
        preprocessor.check(
            {name: [getattr(preprocessor.sample, name)] for name in preprocessor.features}
        )
        return preprocessor

    def facts(self) -> dict[str, Any]:
        """What has to be equal for a run to go on: the numbers of features."""
        return {"nodes": self.num_features, "edges": self.num_edge_features}

    def probes(self, examples: Mapping[str, Sequence[Any]]) -> list[dict[str, np.ndarray]]:
        whole, some = self.sample, Neighborhoods(self.sample).sample(5)
        return [self._parts(whole), self._parts(some), *map(self._odd, (1, 3))]

    def samples(self, examples: Mapping[str, Sequence[Any]]) -> list[dict[str, np.ndarray]]:
        random = np.random.default_rng(0)
        samples = []
        for _ in range(SAMPLES):
            parts = self._parts(self.sample)
            order = random.permutation(len(parts[NODES]))
            samples.append({**parts, NODES: parts[NODES][order]})  # as if nodes had changed places
        return samples

    def _parts(self, graph: Graph) -> dict[str, np.ndarray]:
        return {name: getattr(graph, name) for name in self.features}

    def _odd(self, count: int) -> dict[str, np.ndarray]:
        """A graph with edges that are repeated, or from a node to itself; of one node, without."""
        nodes = np.resize(self.sample.nodes, (count, self.num_features)).astype("float32")
        edges = np.array([[0, 0, 1, 2], [1, 1, 1, 0]], "int32")[:, : 4 * (count > 1)]
        graph = {NODES: nodes, EDGES: edges}
        if self.num_edge_features is not None:
            graph[EDGE_FEATURES] = np.ones((edges.shape[1], self.num_edge_features), "float32")
        return graph


def joined(graphs: Mapping[str, Sequence[np.ndarray]], specs: Mapping[str, Any]) -> Features:
    """Several graphs as one, their nodes one after another.

    Example:
        >>> specs = {"nodes": None, "edges": None}
        >>> graphs = {"nodes": [np.eye(2), np.eye(2)], "edges": [np.array([[0], [1]])] * 2}
        >>> joined(graphs, specs)["edges"].tolist()
        [[0, 2], [1, 3]]
    """
    starts = np.cumsum([0, *(len(nodes) for nodes in graphs[NODES])])
    shifted = [edges + at for edges, at in zip(graphs[EDGES], starts, strict=False)]
    union = {name: np.concatenate(graphs[name]) for name in specs if name != EDGES}
    return {**union, EDGES: np.concatenate(shifted, axis=1, dtype="int32")}
