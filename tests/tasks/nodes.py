"""Predictions of a label for each node, handled as texts are in tests/tasks/outputs.py."""

import csv

import numpy as np

from tests.tasks.cases.files import COLORS
from tests.tasks.outputs import Output


class Nodes(Output):
    """The labels of the nodes of each graph."""

    def numbers(self, task, texts):
        return [each.ravel().tolist() for each in task.predict_proba(texts)]

    def learned(self, task):
        sample = task.preprocessor.sample
        return task.preprocessor.facts(), sample.nodes.tolist(), sample.edges.tolist()

    def inputs(self, texts):
        starts = np.cumsum([0, *map(len, texts)])
        edges = [graph.edges + at for graph, at in zip(texts, starts, strict=False)]
        nodes = np.concatenate([graph.nodes for graph in texts])
        return {"nodes": nodes, "edges": np.concatenate(edges, axis=1).astype("int32")}

    def features(self, task, texts):
        return self.inputs(texts)

    def from_text(self, outputs):
        np.testing.assert_allclose(outputs["scores"].sum(axis=-1), 1, rtol=1e-4)
        return outputs["class_id"].tolist()

    def expected(self, predictions):
        return [COLORS.index(label) for graph in predictions for label in graph]

    def from_ids(self, task, texts, ids, outputs):
        ends = np.cumsum([*map(len, texts)])[:-1]
        parts = np.split(outputs["class_id"], ends)
        return [[task.labels[number] for number in part] for part in parts]

    def _rows(self, path):
        with open(path, encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def by_hand(self, task, path, scores):
        (actual,), rows = task.predict([path]), self._rows(path)
        right = [a == b["color"] for a, b in zip(actual, rows, strict=True) if b["split"] == "test"]
        return {"accuracy": sum(right) / len(right)}

    def shown(self, task, path):
        (actual,), rows = task.predict([path]), self._rows(path)
        tested = [(a, b["name"]) for a, b in zip(actual, rows, strict=True) if b["split"] == "test"]
        return ["Predictions", *(text for pair in tested[:5] for text in pair)]
