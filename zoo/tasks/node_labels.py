"""The classes of nodes, and how well they are predicted."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from zoo.data.batching.columns import NO_LABEL
from zoo.data.graphs.read import Graphs
from zoo.errors import UserError
from zoo.tasks.labels import class_numbers, labels_of
from zoo.tasks.scores import score_labels

THRESHOLD = 0.5  # of the probability from which one of several labels is predicted


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

    def named(self, scores: np.ndarray) -> list[Any]:
        """The predicted label of each node; of several, the list of those that are probable.

        Args:
            scores: Probabilities (N, C).
        """
        if not self.several:
            return [self.labels[best] for best in scores.argmax(axis=1)]
        return [[self.labels[c] for c in np.flatnonzero(row)] for row in (scores >= THRESHOLD)]

    def score(self, true: Sequence[np.ndarray], scores: Sequence[np.ndarray]) -> dict[str, float]:
        """The metrics of predictions: accuracy and macro F1; for several labels, micro F1.

        Args:
            true: What `numbers` returns.
            scores: The probabilities (N, C) for each graph.
        """
        classes, found = np.concatenate(true), np.concatenate(scores)
        if not self.several:
            known = classes != NO_LABEL
            pairs = classes[known], found[known].argmax(axis=1)
            return score_labels(*([self.labels[c] for c in column] for column in pairs))
        known = (classes != NO_LABEL).all(axis=1)
        right, said = classes[known] == 1, found[known] >= THRESHOLD
        both, either = int((right & said).sum()), int(right.sum() + said.sum())
        return {
            "micro_f1": 2 * both / max(either, 1),
            "accuracy": float((right == said).all(axis=1).mean()),
        }
