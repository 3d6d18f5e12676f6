"""What a node classifier shows: attention, hidden nodes, and rows for a report."""

from collections.abc import Mapping
from os import PathLike
from typing import Any

import numpy as np
from keras import ops

from zoo.attention_map import AttentionMap
from zoo.data.graphs.graph import Graph
from zoo.data.graphs.neighbors import Neighborhoods
from zoo.data.graphs.read import Graphs, as_graph, graph_inputs
from zoo.data.readers.files import IN_MEMORY, is_path
from zoo.errors import UserError
from zoo.models.attending import EDGES
from zoo.tasks.attending import ATTENTION, check_no_options
from zoo.tasks.edge_attention import EdgeAttention, edge_attentions
from zoo.tasks.undivided import UndividedTask
from zoo.tasks.views import PreviewRow


class NodeViews(UndividedTask):
    """A task on graphs, with what it shows."""

    def graphs_of(self, data: Any) -> list[Graph]:
        """The graphs of the argument of `predict`: graphs, or paths of single graphs.

        Raises:
            UserError: If an element is none, or `data` is no list.
        """
        if isinstance(data, Graph | Mapping | str | PathLike):
            raise UserError("predict takes a list of graphs; got a single one")
        return [self._of_path(each) if is_path(each) else self._given(each) for each in data]

    def _given(self, graph: Any) -> Graph:
        """A graph in memory, with the features of the training data."""
        found = Graphs([as_graph(graph)], IN_MEMORY)
        if self.settings.identity:
            return self.with_identity(found).graphs[0]
        return self.preprocessor.in_order(found.graphs[0])

    def with_identity(self, graphs: Graphs) -> Graphs:
        """Graphs with identity features, which have to be those of the training data.

        Raises:
            UserError: If there are several, or they have other numbers of nodes than it.
        """
        if len(graphs.graphs) > 1:
            raise UserError(f"{graphs.path} has several graphs: identity is for the nodes of one")
        found = graphs.with_identity()
        count = found.graphs[0].nodes.shape[1]
        known = count if self._preprocessor is None else self._preprocessor.num_features
        if count != known:
            raise UserError(
                f"{graphs.path} has {len(found.graphs[0]):,} nodes; the model knows the {known:,} "
                "nodes of its training data only, since they have no features"
            )
        return found

    def _of_path(self, path: Any) -> Graph:
        graphs: list[Graph] = self.read(path).graphs
        if len(graphs) > 1:
            raise UserError(f"{path} has {len(graphs)} graphs: give the path of each")
        return graphs[0]

    def predict_named(self, data: Any, batch_size: int = 64) -> list[dict[str, Any]]:
        """The predicted label of each node by the node's id: a dictionary for each graph.

        Args:
            data: Graphs, or paths of single graphs, as `predict` takes them.
            batch_size: Number of graphs at a time.
        """
        graphs = self.graphs_of(data)
        found = self.predict(graphs, batch_size)
        return [
            dict(zip(graph.names, labels, strict=True))
            for graph, labels in zip(graphs, found, strict=True)
        ]

    def edge_attention(self, graph: Any) -> list[EdgeAttention]:
        """The attention weights of each layer on the edges of a graph.

        Args:
            graph: A graph, as in the list that `predict` takes.
        """
        (graph,) = self.graphs_of([graph])
        outputs = self.program(ATTENTION)(self.preprocessor.read(graph_inputs([graph])))
        return edge_attentions(graph, outputs, self.model)

    def attention_parts(self, data: Any, **options: Any) -> dict[str, list[AttentionMap]]:
        check_no_options(self.name, options)
        return {EDGES: [each.map() for each in self.edge_attention(data)]}

    def hidden(self, graph: Any) -> np.ndarray:
        """The nodes of a graph as the last layer of the model sees them, (N, D)."""
        (graph,) = self.graphs_of([graph])
        inputs = self.preprocessor.read(graph_inputs([graph]))
        inputs = {name: ops.convert_to_tensor(inputs[name]) for name in self.preprocessor.features}
        return np.asarray(ops.convert_to_numpy(self.model.hidden(inputs)))

    def preview(self, data: Any, count: int) -> list[PreviewRow]:
        examples = self.read(data)
        graph, (mask, *_) = examples.graphs[0], examples.part(examples.part_to_evaluate)
        (found,), steps = self.predict([graph]), self.model.attention_layers[EDGES]
        around, names = Neighborhoods(graph), graph.names
        chosen = np.flatnonzero(mask if mask.any() else np.ones(len(graph), bool))[:count]
        true = graph.labels if graph.labels is not None else [None] * len(graph)
        return [
            PreviewRow(
                names[node],
                self.result_text(found[node]),
                None if true[node] is None else self.result_text(self._named(graph, node)),
                around.subgraph(np.array([node]), steps),
            )
            for node in chosen
        ]

    def _named(self, graph: Graph, node: int) -> Any:
        if not graph.multi_label:
            return graph.labels[node]
        return [
            name for name, x in zip(graph.label_names, graph.labels[node], strict=True) if x > 0
        ]
