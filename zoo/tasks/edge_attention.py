"""The attention of a graph's nodes along its edges."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from keras import ops

from zoo.attention_map import AttentionMap
from zoo.errors import UserError
from zoo.models.attending import EDGES
from zoo.preprocessing.base import Features
from zoo.preprocessing.graphs import NAMES
from zoo.serving.inference import Tensors

LOOPS = "loops"  # name of the weights of added self-loops
MOST = 2000  # maximum number of nodes of a map


@dataclass(frozen=True, eq=False)
class EdgeAttention:
    """Attention weights of one layer on the edges of a graph.

    Args:
        edges: The nodes at the beginning and at the end of each edge, (2, E), with an edge from
            each node to itself if the model adds them.
        weights: The weight of each edge in each head, (E, H); those of the edges to a node sum to
            one.
        ids: Names of the nodes.
        name: Name of the layer in artifacts, such as "edges_0".

    Example:
        >>> edges, weights = np.array([[0, 1], [1, 1]]), np.array([[0.25], [0.75]])
        >>> attention = EdgeAttention(edges, weights, ["a", "b"], "edges_0")
        >>> attention.map().weights.tolist()
        [[[0.0, 0.0], [0.25, 0.75]]]
    """

    edges: np.ndarray
    weights: np.ndarray
    ids: list[str]
    name: str

    def map(self) -> AttentionMap:
        """The weights as a map, with a row and a column for each node.

        Raises:
            UserError: If the graph is so large that the map would not fit into memory.
        """
        count = len(self.ids)
        if count > MOST:
            raise UserError(
                f"attention maps are for at most {MOST} nodes, and the graph has {count}: "
                "use edge_attention"
            )
        maps = np.zeros((self.weights.shape[1], count, count), "float32")
        for head, weights in zip(maps, self.weights.T, strict=True):
            np.add.at(head, (self.edges[1], self.edges[0]), weights)
        return AttentionMap(maps, self.ids, self.ids, self.name)


def weight_axes(model: Any) -> dict[str, tuple]:
    """The axes of the weights of each layer, by name: of the edges, and of added self-loops."""
    axes: dict[str, tuple] = {}
    for number, layer in enumerate(model.layers_of_attention):
        axes[f"{EDGES}_{number}"] = ("edges", layer.num_heads)
        if model.add_self_loops:
            axes[f"{LOOPS}_{number}"] = ("nodes", layer.num_heads)
    return axes


def named_weights(model: Any, inputs: Tensors) -> Tensors:
    """The weights of each layer by name, in `keras.ops`."""
    count, named = ops.shape(inputs["edges"])[1], {}
    for number, weights in enumerate(model.attention_maps(inputs)[EDGES]):
        named[f"{EDGES}_{number}"] = weights[:count]
        if model.add_self_loops:
            named[f"{LOOPS}_{number}"] = weights[count:]
    return named


def edge_attentions(features: Features, outputs: Mapping[str, Any]) -> list[EdgeAttention]:
    """The weights of each layer on one graph.

    Args:
        features: The features of the graph, with the names of its nodes.
        outputs: The outputs of the signature `attention`.
    """
    names, edges = [*features[NAMES]], features[EDGES]
    loops = np.tile(np.arange(len(names), dtype=edges.dtype), (2, 1))
    layers = []
    for number in range(sum(name.startswith(f"{EDGES}_") for name in outputs)):
        ends, weights = edges, outputs[f"{EDGES}_{number}"]
        if (own := outputs.get(f"{LOOPS}_{number}")) is not None:
            ends = np.concatenate([edges, loops], axis=1)
            weights = np.concatenate([weights, own])
        layers.append(EdgeAttention(ends, weights, names, f"{EDGES}_{number}"))
    return layers
