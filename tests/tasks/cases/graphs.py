"""Tasks on graphs."""

import numpy as np

from tests.tasks.api import kinds
from tests.tasks.case import Case
from tests.tasks.cases import files
from tests.tasks.cases.labels import NO_CHECKPOINT
from tests.tasks.cases.texts import NOT_GENERATING
from tests.tasks.nodes import Nodes
from zoo.data.graphs.graph import Graph


def node_classifier(folder, **options):
    settings = {"hidden_dim": 7, "num_heads": 3, "dropout": 0.0, "attention_dropout": 0.0}
    settings |= {"label_column": "color", "normalize_features": False}
    return kinds()["node-classifier"](**{**settings, **options})


def graph(nodes, edges, seed):
    random = np.random.default_rng(seed)
    return Graph(random.normal(size=(nodes, 5)) * 2, random.integers(0, nodes, (2, edges)))


CASES = {
    "node_classifier": Case(
        "node-classifier",
        node_classifier,
        files.graph,
        [graph(13, 37, 1), graph(1, 0, 2), graph(101, 307, 3), graph(5, 7, 4)],
        Nodes(),
        fit={"learning_rate": 0.05},
        epochs=8,
        one_label=lambda folder: files.graph(folder, only="odd"),
        learned="graph",
        not_applicable={
            "one shape": "reads no text",
            **NOT_GENERATING,
            **NO_CHECKPOINT,
            "user errors: length": "its inputs have any length",
            "user errors: vocabulary": "has no vocabulary",
        },
    ),
}
