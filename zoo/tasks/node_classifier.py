"""Node classification: from a graph to the labels of its nodes."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from zoo.data.batching.batches import Batches
from zoo.data.batching.columns import NO_LABEL
from zoo.data.batching.graphs import GraphUnions
from zoo.data.batching.neighbors import SampledNeighbors
from zoo.data.graphs.graph import TRAIN, VALIDATION
from zoo.data.graphs.read import Graphs, graph_inputs, read_graphs
from zoo.data_statistics import counted
from zoo.errors import UserError
from zoo.heads.head import ClassHead
from zoo.models.attending import EDGES
from zoo.preprocessing.base import Features, Preprocessor
from zoo.preprocessing.graphs import GraphPreprocessor
from zoo.serving.inference import Inference, Run, Tensors
from zoo.serving.signatures import SERVING_DEFAULT
from zoo.tasks.attending import ATTENTION
from zoo.tasks.definition import adapted
from zoo.tasks.edge_attention import (
    LOOPS,
    named_weights,
    weight_axes,
)
from zoo.tasks.node_labels import NodeLabels
from zoo.tasks.node_views import NodeViews
from zoo.tasks.options import node_classifier as options
from zoo.training.crossentropy import Crossentropy
from zoo.training.objective import Objective

FOLDER = "graph"  # of the preprocessor, in a run folder
EPOCHS = 1000


class NodeClassifier(NodeViews):
    """Predicts the label, or the labels, of each node of a graph.

    It learns from one graph of which the labels of some nodes are known, or from several graphs.
    `predict` takes a list of graphs, and returns a list of labels for each.

    Source: Veličković et al. 2018, sections 3.1 and 3.3.

    Example:
        >>> import numpy as np, zoo
        >>> x, edges = np.eye(6, dtype="float32"), [[0, 1, 2, 3, 4], [1, 2, 0, 4, 5]]
        >>> graph = zoo.Graph(x, edges, labels=["a", "a", "a", "b", "b", ""]).undirected()
        >>> task = zoo.NodeClassifier("gat", "cora", dropout=0.0, attention_dropout=0.0)
        >>> task.adapt(graph)
        >>> history = task.fit(graph, epochs=40, xla=False, verbose=False)
        >>> task.predict([graph])
        [['a', 'a', 'a', 'b', 'b', 'b']]
    """

    name = "node-classifier"
    Settings = options.Settings
    Training = options.Training
    purposes: ClassVar = {
        SERVING_DEFAULT: "Classifies each node of a graph.",
        ATTENTION: "Shows from which nodes each node takes, in every layer and head.",
    }
    beta_2: ClassVar[float] = 0.999  # as in the paper; gradients under its dropout are noisy
    preview_explanation: ClassVar[str] = "Nodes with the predictions of the model."
    _learned: GraphPreprocessor | None = None

    @property
    def labels(self) -> list[str]:
        """The labels in class order."""
        return adapted(self.settings.labels)

    @property
    def node_labels(self) -> NodeLabels:
        """The labels, and whether a node can have several."""
        return NodeLabels(self.labels, bool(self.settings.multi_label))

    @property
    def head(self) -> ClassHead:
        return self.node_labels.head

    # --- Data ---

    def adapt(self, data: Any) -> None:
        self._learned = None
        super().adapt(data)

    def build(self, preprocessor: Preprocessor) -> None:
        super().build(preprocessor)
        self._learned = self.preprocessor

    def read(self, data: Any) -> Graphs:
        found, wanted = read_graphs(data, self.settings), self.settings.identity
        if wanted is None and self._preprocessor is None:  # it has not learned from others
            wanted = found.needs_identity
        if wanted:
            return self.with_identity(found)
        if self._learned is None:
            return found
        return replace(found, graphs=[*map(self._learned.in_order, found.graphs)])

    @property
    def export_config(self) -> dict[str, Any]:
        """With the names of features, by which an artifact finds them."""
        return {**super().export_config, "columns": self.preprocessor.columns}

    def own_validation(self, examples: Graphs) -> Graphs | None:
        return examples.own_validation()

    def note_on(self, examples: Graphs, same: int, files: int) -> str:
        part = examples.part_to_evaluate
        count = sum(int(mask.sum()) for mask in examples.part(part))
        if examples.has_split:
            told = "; they selected the best epoch" if part == VALIDATION and same else ""
            return f"evaluated on {counted(count, f'{part} nodes')}{told}"
        told = "; training nodes are among them: add a split to the file, or evaluate another"
        return f"evaluated on all {counted(count, 'labeled nodes')}{told if same else ''}"

    def learn(self, examples: Graphs) -> GraphPreprocessor:
        found = NodeLabels.of(examples, self.settings.labels)
        self.settings.labels, self.settings.multi_label = found.labels, found.several
        self.settings.identity = examples.identity
        if not examples.graphs[0].nodes.shape[1]:
            raise UserError(
                f"{examples.path} has no features of nodes; without features, train on one graph"
            )
        return GraphPreprocessor.of(examples.graphs)

    def save_preprocessor(self, folder: Path) -> None:
        self.preprocessor.save(folder / FOLDER)

    def load_preprocessor(self, folder: Path) -> GraphPreprocessor:
        return GraphPreprocessor.load(folder / FOLDER)

    def same_preprocessor(self, folder: Path) -> bool:
        before = GraphPreprocessor.load(folder / FOLDER)
        return before.facts() == self.preprocessor.facts()

    def model_sizes(self) -> dict[str, Any]:
        sizes = {"input_dim": self.preprocessor.num_features, "num_classes": len(self.labels)}
        return {**sizes, "edge_dim": self.preprocessor.num_edge_features}

    def sample_inputs(self, examples: Graphs, count: int) -> dict[str, list[Any]]:
        return {}  # the preprocessor keeps a part of the graph

    # --- Training ---

    def batches(self, examples: Graphs, training: Any, held_out: bool = False) -> Batches:
        part = VALIDATION if held_out else TRAIN
        self.preprocessor.check(examples.inputs)
        labels, specs = self.node_labels.numbers(examples, part), self.preprocessor.features
        if training.neighbors is None:
            return GraphUnions(examples.inputs, labels, specs, training.batch_size, training.seed)
        return SampledNeighbors(
            examples.graphs,
            labels,
            specs,
            steps=self.model.attention_layers[EDGES],
            neighbors=training.neighbors,
            batch_nodes=training.batch_nodes,
            seed=training.seed,
        )

    def objective(self, training: Any) -> Objective:
        head = self.head
        loss, metric = head.loss(), head.metric()
        # On few nodes the loss says more than the share of those that are right.
        return Objective(
            loss={"logits": loss},
            metrics={"logits": [metric, Crossentropy(loss, NO_LABEL)]},
            monitor="val_crossentropy",
        )

    def default_epochs(self, steps_per_epoch: int) -> int:
        return EPOCHS

    def default_patience(self) -> int | None:
        return options.PATIENCE

    def default_learning_rate(self) -> float:
        return 0.01 if self.settings.preset == "pubmed" else 0.005

    def default_warmup(self, steps: int) -> int:
        return 1

    # --- Inference ---

    def inferences(self, **_: Any) -> dict[str, Inference]:
        head, features = self.head, self.preprocessor.features

        def compute(inputs: Tensors) -> Tensors:
            return head.outputs(self.model(inputs)["logits"])

        def attend(inputs: Tensors) -> Tensors:
            return named_weights(self.model, inputs)

        return {
            SERVING_DEFAULT: Inference(features, dict, compute, head.axes),
            ATTENTION: Inference(features, dict, attend, weight_axes(self.model)),
        }

    @property
    def meanings(self) -> dict[str, str]:
        loops = "the attention weight of each node on itself in a layer, for each head"
        return {
            **super().meanings,
            **{name: loops for name in weight_axes(self.model) if name.startswith(LOOPS)},
        }

    def raw_inputs(self, data: Any) -> dict[str, Sequence[Any]]:
        inputs = graph_inputs(self.graphs_of(data))
        self.preprocessor.check(inputs)
        return {**inputs}

    def rows(self, outputs: Mapping[str, Any], features: Features) -> list[dict[str, Any]]:
        ends = np.cumsum(features["sizes"])[:-1]
        parts = {name: np.split(array, ends) for name, array in outputs.items()}
        return [{name: x[i] for name, x in parts.items()} for i in range(len(features["sizes"]))]

    def result(self, row: Mapping[str, Any]) -> list[Any]:
        return self.head.names(row["scores"])

    def predict_proba(self, data: Any, batch_size: int = 64) -> list[np.ndarray]:
        """The probability of each label for each node: an array (N, C) for each graph.

        Args:
            data: Graphs, as `predict` takes them.
            batch_size: Number of graphs at a time.
        """
        rows = self.predict_rows(self.raw_inputs(data), self.runner(), batch_size)
        return [row["scores"] for row in rows]

    def score(self, examples: Graphs, run: Run) -> dict[str, float]:
        true = self.node_labels.numbers(examples, examples.part_to_evaluate)
        rows = self.predict_rows(examples.inputs, run)
        return self.node_labels.score(true, [row["scores"] for row in rows])

    def web_page(self) -> Any:
        raise UserError(
            f"browsers cannot run {self.name}: graphs differ in their numbers of nodes and edges, "
            "and LiteRT.js takes files of one shape"
        )

    def calls(
        self, preprocessor: Preprocessor, raw: list[dict[str, np.ndarray]]
    ) -> dict[str, list[dict[str, np.ndarray]]]:
        return {SERVING_DEFAULT: raw}  # artifacts take what the model takes
