"""Node classification: from a graph to the labels of its nodes."""

from typing import Any, ClassVar

import numpy as np
from keras import ops

from zoo.data.graphs.graph import Graph
from zoo.tasks.answers.node_labels import NodeLabels
from zoo.tasks.attending import ATTENTION
from zoo.tasks.edge_attention import EdgeAttention, edge_attentions
from zoo.tasks.formats.graphs import GraphFormat
from zoo.tasks.inputs.graphs import GraphInput
from zoo.tasks.options import node_classifier as options
from zoo.tasks.parts import Parts, Pictures
from zoo.tasks.recipes.nodes import NodeRecipe
from zoo.tasks.task import Task

INPUT, ANSWER = GraphInput(), NodeLabels()


class NodeClassifier(Task):
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
    parts: ClassVar = Parts(
        format=GraphFormat(),
        input=INPUT,
        answer=ANSWER,
        recipe=NodeRecipe(),
        purpose="Classifies each node of a graph.",
        preview="Nodes with the predictions of the model.",
        pictures=Pictures.GRAPH,
    )

    @property
    def labels(self) -> list[str]:
        """The labels in class order."""
        return list(self.head.labels)

    def graphs_of(self, data: Any) -> list[Graph]:
        """The graphs of the argument of `predict`: graphs, or paths of single graphs."""
        return INPUT.graphs(data, self.settings, self.preprocessor)

    def predict_proba(self, data: Any, batch_size: int = 64) -> list[np.ndarray]:
        """The probability of each label for each node: an array (N, C) for each graph.

        Args:
            data: Graphs, as `predict` takes them.
            batch_size: Number of graphs at a time.
        """
        return ANSWER.probabilities(self.predictor(), data, batch_size)

    def predict_named(
        self, data: Any, batch_size: int | None = None, **options: Any
    ) -> list[dict[str, Any]]:
        """The predicted label of each node by the node's id: a dictionary for each graph.

        Args:
            data: Graphs, or paths of single graphs, as `predict` takes them.
            batch_size: Number of graphs at a time.
            **options: There are none.
        """
        graphs = self.graphs_of(data)
        pairs = zip(graphs, self.predict(graphs, batch_size, **options), strict=True)
        return [dict(zip(graph.names, labels, strict=True)) for graph, labels in pairs]

    def edge_attention(self, graph: Any) -> list[EdgeAttention]:
        """The attention weights of each layer on the edges of a graph.

        Args:
            graph: A graph, as in the list that `predict` takes.
        """
        features = self.read_inputs([graph])
        return edge_attentions(features, self.program(ATTENTION)(features))

    def hidden(self, graph: Any) -> np.ndarray:
        """The nodes of a graph as the last layer of the model sees them, (N, D)."""
        read, names = self.read_inputs([graph]), self.preprocessor.features
        inputs = {name: ops.convert_to_tensor(read[name]) for name in names}
        return np.asarray(ops.convert_to_numpy(self.model.hidden(inputs)))
