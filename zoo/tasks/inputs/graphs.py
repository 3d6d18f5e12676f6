"""Graphs as the input of a model."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from zoo.attention_map import AttentionMap
from zoo.data.graphs.graph import Graph
from zoo.data.graphs.read import Graphs, as_graph, graph_inputs
from zoo.data.readers.files import IN_MEMORY, is_path
from zoo.errors import UserError
from zoo.models.attending import EDGES
from zoo.preprocessing.base import Features
from zoo.preprocessing.graphs import EDGE_FEATURES, NAMES, NODES, GraphPreprocessor
from zoo.serving.called import CalledModel
from zoo.serving.inference import Inference, Tensors
from zoo.serving.signatures import SERVING_DEFAULT
from zoo.tasks.attending import ATTENTION
from zoo.tasks.calls import Calls
from zoo.tasks.edge_attention import LOOPS, edge_attentions, named_weights, weight_axes
from zoo.tasks.formats.graphs import GraphFormat, with_features
from zoo.tasks.options.node_classifier import Settings
from zoo.tasks.parts import Fitted, Input, Learned, Start

LOOP_WEIGHTS = "the attention weight of each node on itself in a layer, for each head"

FittedGraphs = Fitted[Settings, GraphPreprocessor]


class GraphInput(Input[Settings, GraphPreprocessor, Graphs]):
    """Graphs: `zoo.Graph`, (nodes, edges), or paths of single graphs."""

    attention_purpose = "Shows from which nodes each node takes, in every layer and head."

    def learn(
        self, examples: Graphs, settings: Settings, start: Start
    ) -> Learned[Settings, GraphPreprocessor]:
        if not examples.graphs[0].nodes.shape[1]:
            raise UserError(
                f"{examples.path} has no features of nodes; without features, train on one graph"
            )
        settings = replace(settings, identity=examples.identity)
        return Learned(settings, GraphPreprocessor.of(examples.graphs))

    def load(self, folder: Path, settings: Settings) -> GraphPreprocessor:
        return GraphPreprocessor.load(folder / GraphPreprocessor.subfolder)

    def restored(self, settings: Settings, artifact: CalledModel) -> GraphPreprocessor:
        inputs = artifact.signatures[SERVING_DEFAULT]["inputs"]
        widths = [
            int(inputs[x]["shape"][1]) if x in inputs else None for x in (NODES, EDGE_FEATURES)
        ]
        columns = artifact.config.get("columns", {})
        names = (columns.get(NODES), columns.get(EDGE_FEATURES))
        nodes, features = widths
        empty = Graph(np.zeros((0, nodes or 0), np.float32), np.zeros((2, 0), np.int32))
        return GraphPreprocessor(nodes or 0, features, empty, names)

    def check_examples(
        self, examples: Graphs, settings: Settings, preprocessor: GraphPreprocessor
    ) -> None:
        preprocessor.check(examples.inputs)

    def sizes(self, settings: Settings, preprocessor: GraphPreprocessor) -> dict[str, Any]:
        return {
            "input_dim": preprocessor.num_features,
            "edge_dim": preprocessor.num_edge_features,
        }

    def graphs(self, data: Any, settings: Settings, preprocessor: GraphPreprocessor) -> list[Graph]:
        """The graphs of the argument of `predict`.

        Raises:
            UserError: If an element is none, or `data` is no list.
        """
        if isinstance(data, Graph | Mapping | str | PathLike):
            raise UserError("predict takes a list of graphs; got a single one")
        return [self._graph(each, settings, preprocessor) for each in data]

    def _graph(self, data: Any, settings: Settings, preprocessor: GraphPreprocessor) -> Graph:
        if is_path(data):
            graphs = GraphFormat().read(data, settings, preprocessor)
            if len(graphs) > 1:
                raise UserError(f"{data} has {len(graphs)} graphs: give the path of each")
        else:
            graphs = with_features(Graphs(IN_MEMORY, [as_graph(data)]), settings, preprocessor)
        return graphs.graphs[0]

    def raw(
        self, data: Any, settings: Settings, preprocessor: GraphPreprocessor
    ) -> dict[str, Sequence[Any]]:
        graphs = self.graphs(data, settings, preprocessor)
        inputs = graph_inputs(graphs)
        preprocessor.check(inputs)
        return {**inputs, NAMES: [graph.names for graph in graphs]}

    def rows(self, outputs: Mapping[str, Any], features: Features) -> list[dict[str, Any]]:
        ends = np.cumsum(features["sizes"])[:-1]
        parts = {name: np.split(array, ends) for name, array in outputs.items()}
        return [{name: x[i] for name, x in parts.items()} for i in range(len(features["sizes"]))]

    def attention(self, fitted: FittedGraphs, head: Any) -> dict[str, Inference]:
        def attend(inputs: Tensors) -> Tensors:
            return named_weights(fitted.model, inputs)

        features = fitted.preprocessor.features
        return {ATTENTION: Inference(features, dict, attend, weight_axes(fitted.model))}

    def meanings(self, fitted: FittedGraphs) -> dict[str, str]:
        loops = [name for name in weight_axes(fitted.model) if name.startswith(LOOPS)]
        return dict.fromkeys(loops, LOOP_WEIGHTS)

    def attention_maps(
        self,
        settings: Settings,
        preprocessor: GraphPreprocessor,
        features: Features,
        outputs: Tensors,
    ) -> dict[str, list[AttentionMap]]:
        return {EDGES: [each.map() for each in edge_attentions(features, outputs)]}

    def check_browser(self, task: str) -> None:
        raise UserError(
            f"browsers cannot run {task}: graphs differ in their numbers of nodes and edges, "
            "and LiteRT.js takes files of one shape"
        )

    def calls(self, preprocessor: GraphPreprocessor, raw: list[dict[str, Any]]) -> Calls:
        return {SERVING_DEFAULT: raw}  # artifacts take what the model takes

    def facts(self, preprocessor: GraphPreprocessor) -> dict[str, Any]:
        """The names of features, by which an artifact finds them."""
        return {"columns": preprocessor.columns}
