"""Labels of the nodes of a graph as the answer of a task."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from zoo.data.batching.batches import Batches
from zoo.data.batching.graphs import LABELS
from zoo.data.batching.padded_columns import NO_LABEL
from zoo.data.graphs.graph import Graph
from zoo.data.graphs.neighbors import Neighborhoods
from zoo.data.graphs.read import Graphs
from zoo.data.labels import class_numbers
from zoo.errors import UserError
from zoo.heads.head import ClassHead, Reader, inferences_of_logits
from zoo.heads.label import LabelHead, labels_of
from zoo.heads.labels import LabelsHead
from zoo.metrics.label_sets import LabelSetPredictions
from zoo.metrics.labels import LabelPredictions
from zoo.models.attending import EDGES
from zoo.preprocessing.graphs import GraphPreprocessor
from zoo.registry.metrics import LABELS as ONE
from zoo.registry.metrics import NODE_LABEL_SETS
from zoo.serving.inference import Inference
from zoo.tasks.answers.labels import known_labels
from zoo.tasks.inputs.graphs import FittedGraphs
from zoo.tasks.measuring import Judged
from zoo.tasks.options.node_classifier import Settings
from zoo.tasks.parts import Answer, Predictor, PreviewRow
from zoo.training.calibration import Calibration, calibrate
from zoo.training.score_scaling import ScoreScaling

GraphPredictor = Predictor[FittedGraphs, ClassHead]


class NodeLabels(Answer[Settings, GraphPreprocessor, Graphs, ClassHead]):
    """One label, or several, for each node: a list for each graph."""

    def learn(self, examples: Graphs, settings: Settings) -> Settings:
        names = [name for graph in examples.graphs for name in graph.label_names]
        if not names:
            raise UserError(
                f"{examples.path} has no labels, from which a node classifier learns: write "
                "labels.csv beside the edges, with columns id and label, or y to the .npz file"
            )
        labels = labels_of(names, settings.labels, "label", examples.path)
        several = examples.graphs[0].multi_label
        preset = settings.preset or ("ppi" if several else "cora")  # those of the paper
        return replace(settings, labels=labels, multi_label=several, preset=preset)

    def sizes(self, settings: Settings) -> dict[str, Any]:
        return {"num_classes": len(known_labels(settings))}

    def head(self, settings: Settings, preprocessor: GraphPreprocessor) -> ClassHead:
        kind = LabelsHead if settings.multi_label else LabelHead
        return kind(known_labels(settings), "nodes")

    def scaled(self, head: ClassHead, scaling: ScoreScaling) -> ClassHead:
        return head.scaled(scaling)

    def calibration(self, fitted: FittedGraphs, held_out: Batches) -> Calibration | None:
        """Of one label for each node; the probabilities of several labels stay as they are."""
        several = held_out.specs[LABELS].shape.rank == 2
        return None if several else calibrate(fitted.model, held_out.dataset(shuffle=False))

    def inferences(
        self, fitted: FittedGraphs, head: ClassHead, reader: Reader, options: Mapping[str, Any]
    ) -> dict[str, Inference]:
        return inferences_of_logits(head, fitted.model, reader)

    def predict(
        self, predictor: GraphPredictor, data: Any, batch_size: int, options: Mapping[str, Any]
    ) -> list[list[Any]]:
        return [predictor.head.names(x) for x in self.probabilities(predictor, data, batch_size)]

    def probabilities(
        self, predictor: GraphPredictor, data: Any, batch_size: int
    ) -> list[np.ndarray]:
        """The probability of each label for each node: an array (N, C) for each graph."""
        return [row["scores"] for row in predictor.rows(predictor.raw(data), batch_size)]

    def preview(self, predictor: GraphPredictor, examples: Graphs, count: int) -> list[PreviewRow]:
        """The first nodes to evaluate, each with the part of the graph that decides its label."""
        graph, (mask, *_) = examples.graphs[0], examples.part(examples.part_to_evaluate)
        (answers,) = self.predict(predictor, [graph], 1, {})
        around, names = Neighborhoods(graph), graph.names
        steps = predictor.fitted.model.attention_layers[EDGES]
        shown = np.flatnonzero(mask if mask.any() else np.ones(len(graph), bool))[:count]
        text = predictor.head.text
        return [
            PreviewRow(
                names[node],
                text(answers[node]),
                None if graph.labels is None else text(_answer_of(graph, node)),
                around.subgraph(np.array([node]), steps),
            )
            for node in shown
        ]

    def judged(self, predictor: GraphPredictor, examples: Graphs) -> Judged:
        head, settings = predictor.head, predictor.fitted.settings
        labels = known_labels(settings)

        def of_one() -> LabelPredictions:
            correct, scores = _judged(predictor, examples)
            return LabelPredictions(head.names(correct), head.names(scores), labels, scores)

        def of_several() -> LabelSetPredictions:
            correct, scores = _judged(predictor, examples)
            return LabelSetPredictions(head.names(correct), head.names(scores), labels)

        return {NODE_LABEL_SETS: of_several} if settings.multi_label else {ONE: of_one}


def _judged(predictor: GraphPredictor, examples: Graphs) -> tuple[np.ndarray, np.ndarray]:
    """1 for each correct label of the nodes to evaluate, and the scores, (N, C) each."""
    settings = predictor.fitted.settings
    classes = np.concatenate(node_classes(examples, examples.part_to_evaluate, settings))
    scores = np.concatenate([row["scores"] for row in predictor.rows(examples.inputs)])
    known = (classes.reshape(len(classes), -1) != NO_LABEL).all(axis=1)
    correct = classes[known]
    if not settings.multi_label:
        correct = np.eye(len(known_labels(settings)))[correct]
    return correct, scores[known]


def _answer_of(graph: Graph, node: int) -> Any:
    """The label of a node, or the list of its labels."""
    if not graph.multi_label:
        return graph.labels[node]
    return [name for name, x in zip(graph.label_names, graph.labels[node], strict=True) if x > 0]


def node_classes(graphs: Graphs, part: str, settings: Settings) -> list[np.ndarray]:
    """What to learn of each graph: the class of each node (N,), or 0 and 1 (N, C).

    Args:
        graphs: The graphs.
        part: "train", "validation" or "test"; other nodes get NO_LABEL.
        settings: The labels in class order, and whether a node can have several.

    Raises:
        UserError: If a label is unknown, or nodes have several labels instead of one.
    """
    labels, several = known_labels(settings), bool(settings.multi_label)
    for graph in graphs.graphs:
        if graph.labels is not None and graph.multi_label is not several:
            given, expected = ("several", "one") if graph.multi_label else ("one", "several")
            raise UserError(f"{graph.path} has {given} labels per node; expected {expected}")
    names = (name for graph in graphs.graphs for name in graph.label_names)
    number = class_numbers(labels, names, "label", graphs.path)
    masks = graphs.part(part)
    if not any(map(np.any, masks)):
        raise UserError(f"{graphs.path} has no labeled nodes for {part}")
    learned = []
    for graph, mask in zip(graphs.graphs, masks, strict=True):
        shape = (len(graph), len(labels)) if several else (len(graph),)
        classes = np.full(shape, NO_LABEL, "int32")
        if several:
            classes[mask] = 0
            for column, name in enumerate(graph.label_names):
                classes[mask, number[name]] = graph.labels[mask, column]
        else:
            classes[mask] = [number[label] for label in graph.labels[mask]]
        learned.append(classes)
    return learned
