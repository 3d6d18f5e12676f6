"""Baselines of node classification: most frequent labels, neighbors alone and features alone."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Self

import numpy as np

from zoo.data.batching.padded_columns import NO_LABEL
from zoo.data.graphs.graph import TRAIN
from zoo.data.graphs.read import Graphs
from zoo.heads.head import ClassHead
from zoo.json_file import write_json
from zoo.metrics.label_sets import LabelSetPredictions
from zoo.registry.metrics import NODE_LABEL_SETS
from zoo.tasks.answers.labels import known_labels
from zoo.tasks.answers.node_labels import NodeLabels, node_classes
from zoo.tasks.baselines.judged_labels import judged_labels
from zoo.tasks.baselines.sampling import sampled
from zoo.tasks.baselines.saved_arrays import JSON_FILE, load_json
from zoo.tasks.baselines.vectors import VectorBaselines
from zoo.tasks.inputs.graphs import FittedGraphs
from zoo.tasks.measuring import Judged
from zoo.tasks.options.node_classifier import Settings
from zoo.tasks.parts.baselines import Baselines

ROWS = 5_000  # maximum number of nodes whose features are learned from
ITERATIONS = 30
PRODUCTS = 2_000_000_000  # maximum number of edges x labels x iterations


@dataclass(frozen=True)
class NodeStatistics:
    """What baselines of nodes learn from training nodes.

    Args:
        shares: The share of each label among them (C,).
        features: Baselines on their features alone; None with several labels per node, or without
            features.
    """

    shares: np.ndarray
    features: VectorBaselines | None

    def save(self, folder: Path) -> None:
        """Writes it to a run folder."""
        write_json(folder / JSON_FILE, {"shares": self.shares.tolist()})
        if self.features is not None:
            self.features.save(folder)

    @classmethod
    def load(cls, folder: Path) -> Self | None:
        """What `save` wrote, or None if there is none.

        Raises:
            UserError: If a file is damaged.
        """
        shares = load_json(folder, lambda content: [float(share) for share in content["shares"]])
        if shares is None:
            return None
        has_features = (folder / VectorBaselines.file).exists()
        return cls(np.array(shares), VectorBaselines.load(folder) if has_features else None)


class NodeBaselines(Baselines[FittedGraphs, Graphs, NodeStatistics]):
    """The most frequent labels, label propagation from training nodes, and features alone.

    Label propagation needs training nodes in the graph that is evaluated.
    """

    loader = NodeStatistics.load

    def fit(self, examples: Graphs, fitted: FittedGraphs) -> NodeStatistics:
        labels = known_labels(fitted.settings)
        every = _one_hot(np.concatenate(node_classes(examples, TRAIN, fitted.settings)), labels)
        known = (every >= 0).all(axis=1)
        features = None
        if not (fitted.settings.multi_label or examples.identity):
            rows = np.flatnonzero(known)
            rows = rows[sampled(len(rows), ROWS)]
            nodes = np.concatenate([graph.nodes for graph in examples.graphs])[rows]
            if nodes.shape[1]:
                features = VectorBaselines.fit(nodes, [labels[i] for i in every[rows].argmax(1)])
        return NodeStatistics(every[known].mean(axis=0), features)

    def judged(
        self, learned: NodeStatistics, examples: Graphs, fitted: FittedGraphs
    ) -> Mapping[str, Judged]:
        settings, labels = fitted.settings, known_labels(fitted.settings)
        head: ClassHead = NodeLabels().head(settings, fitted.preprocessor)
        classes = node_classes(examples, examples.part_to_evaluate, settings)
        correct = [_one_hot(each, labels) for each in classes]
        masks = [np.all(each >= 0, axis=1, keepdims=True)[:, 0] for each in correct]
        right = head.names(np.concatenate([x[m] for x, m in zip(correct, masks, strict=True)]))
        predictions = {"majority": head.names(np.tile(learned.shares, (len(right), 1)))}
        voted = _votes(examples, masks, learned.shares, settings)
        if voted is not None:
            predictions["label_propagation"] = head.names(voted)
        if learned.features is not None and not examples.identity:
            nodes = np.concatenate(
                [graph.nodes[mask] for graph, mask in zip(examples.graphs, masks, strict=True)]
            )
            for name, answers in learned.features.predict(nodes).items():
                if name != "majority":
                    predictions[f"features_{name}"] = answers
        if settings.multi_label:
            return {
                name: {NODE_LABEL_SETS: partial(LabelSetPredictions, right, own, labels)}
                for name, own in predictions.items()
            }
        return judged_labels(right, predictions, labels)


def _one_hot(classes: np.ndarray, labels: list[str]) -> np.ndarray:
    """Classes (N,) or (N, C) as 0 and 1 (N, C); rows without a label are NO_LABEL."""
    if classes.ndim == 2:
        return classes
    return np.where((classes == NO_LABEL)[:, None], NO_LABEL, np.eye(len(labels))[classes])


def _votes(
    examples: Graphs, masks: list[np.ndarray], shares: np.ndarray, settings: Settings
) -> np.ndarray | None:
    """Shares of labels of the nodes to evaluate; None without a training node in a graph."""
    if not any(map(np.any, examples.part(TRAIN))):
        return None
    votes = []
    classes = node_classes(examples, TRAIN, settings)
    for graph, train, mask in zip(examples.graphs, classes, masks, strict=True):
        labels = _one_hot(train, known_labels(settings))
        known = (labels >= 0).all(axis=1) & ~mask
        if not known.any():
            return None
        votes.append(propagated(labels, known, graph.edges, shares)[mask])
    return np.concatenate(votes)


def propagated(
    labels: np.ndarray, known: np.ndarray, edges: np.ndarray, prior: np.ndarray
) -> np.ndarray:
    """The shares of labels around each node, from the nodes with a known label.

    One iteration is a vote of the neighbors. In each further one, neighbors that got shares in the
    one before it vote too.

    Source: Zhu et al. 2003, section 2 (harmonic functions, solved by iterations of Jacobi).
    Formula: `p_v = mean of p_u over neighbors u that have shares`; known ones do not change

    Args:
        labels: 0 or 1 for each label (N, C); rows that are not known are ignored.
        known: Which nodes have a known label (N,), of booleans.
        edges: Numbers of nodes (2, E); the node `edges[1, e]` is told by the node `edges[0, e]`.
        prior: Shares (C,) of nodes that no known node reaches.

    Returns:
        Shares (N, C).

    Example:
        >>> edges, known = np.array([[0, 1], [1, 2]]), np.array([True, False, False, False])
        >>> labels = np.array([[0, 1], [0, 0], [0, 0], [0, 0]])
        >>> propagated(labels, known, edges, np.array([0.9, 0.1]))[:, 1].tolist()
        [1.0, 1.0, 1.0, 0.1]
    """
    shares, informed = np.where(known[:, None], labels, 0.0), known.copy()
    iterations = min(ITERATIONS, max(1, PRODUCTS // max(1, edges.shape[1] * labels.shape[1])))
    count = len(labels)
    for _ in range(iterations):
        sources, targets = edges[:, informed[edges[0]]]
        votes = np.bincount(targets, minlength=count)
        told = (votes > 0) & ~known
        sums = [np.bincount(targets, column[sources], minlength=count) for column in shares.T]
        shares[told] = np.stack(sums, axis=1)[told] / votes[told, None]
        informed = known | told
    shares[~informed] = prior
    return shares
