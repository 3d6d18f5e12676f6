"""The labels of nodes, and what a model learns of them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from zoo.data.batching.columns import NO_LABEL
from zoo.data.graphs.read import Graphs
from zoo.errors import UserError
from zoo.heads.head import ClassHead
from zoo.heads.label import LabelHead, class_numbers, labels_of
from zoo.heads.labels import LabelsHead


@dataclass(frozen=True)
class NodeLabels:
    """Labels in class order.

    Args:
        labels: The labels.
        several: Whether a node can have several of them.
    """

    labels: list[str]
    several: bool

    @classmethod
    def of(cls, graphs: Graphs, given: list[str] | None) -> "NodeLabels":
        """The labels of graphs.

        Args:
            graphs: Graphs with labels.
            given: The labels in class order, or None for those of the graphs.

        Raises:
            UserError: If there are fewer than two, or they are not those of the graphs.
        """
        names = [name for graph in graphs.graphs for name in graph.label_names]
        if not names:
            raise UserError(f"{graphs.path} has no labels: a node classifier learns from some")
        labels = labels_of(names, given, "label", graphs.path)
        return cls(labels, graphs.graphs[0].multi_label)

    def numbers(self, graphs: Graphs, part: str) -> list[np.ndarray]:
        """What to learn of each graph: the class of each node (N,), or 0 and 1 (N, C).

        Args:
            graphs: The graphs.
            part: "train", "validation" or "test"; other nodes get NO_LABEL.

        Raises:
            UserError: If a label is unknown, or nodes have several labels instead of one.
        """
        for graph in graphs.graphs:
            if graph.labels is not None and graph.multi_label is not self.several:
                found, wanted = ("several", "one") if graph.multi_label else ("one", "several")
                raise UserError(f"{graph.path} has {found} labels per node; expected {wanted}")
        names = (name for graph in graphs.graphs for name in graph.label_names)
        number = class_numbers(self.labels, names, "label", graphs.path)
        masks = graphs.part(part)
        if not any(map(np.any, masks)):
            raise UserError(f"{graphs.path} has no labeled nodes for {part}")
        learned = []
        for graph, mask in zip(graphs.graphs, masks, strict=True):
            shape = (len(graph), len(self.labels)) if self.several else (len(graph),)
            classes = np.full(shape, NO_LABEL, "int32")
            if self.several:
                classes[mask] = 0
                for place, name in enumerate(graph.label_names):
                    classes[mask, number[name]] = graph.labels[mask, place]
            else:
                classes[mask] = [number[label] for label in graph.labels[mask]]
            learned.append(classes)
        return learned

    @property
    def head(self) -> ClassHead:
        """The answer for each node."""
        if self.several:
            return LabelsHead(self.labels, "nodes")
        return LabelHead(self.labels, "nodes")

    def score(self, true: Sequence[np.ndarray], scores: Sequence[np.ndarray]) -> dict[str, float]:
        """The metrics of predictions for the nodes whose labels are known.

        Args:
            true: What `numbers` returns.
            scores: The probabilities (N, C) for each graph.
        """
        classes, found = np.concatenate(true), np.concatenate(scores)
        known = (classes.reshape(len(classes), -1) != NO_LABEL).all(axis=1)
        right = classes[known] if self.several else np.eye(len(self.labels))[classes[known]]
        return self.head.score(self.head.names(right), self.head.names(found[known]))
