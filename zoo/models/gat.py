"""A graph attention network that classifies nodes."""

from typing import Any

import keras
from keras import ops

from keras_attn.attention.graph import GraphAttention
from keras_attn.dropout import Dropout
from zoo.models.arguments import FromTask, NonNegative, PositiveInt, Rate
from zoo.models.attending import EDGES
from zoo.models.config import config_of
from zoo.models.edge_mask import EdgeMask
from zoo.models.zoo_model import Tensors, ZooModel


@keras.saving.register_keras_serializable(package="keras_attn")
class GAT(ZooModel):
    """Layers of graph attention, of which the last has a unit for each class.

    Source: Veličković et al. 2018, section 3.3 and its published code, which scales the features of
        each node to the sum 1, and drops projected features too; section 3.3 also has the skip
        connections, for inductive learning.
    Formula: `h_0 = x`, or `x / sum |x|` with `normalize_features`;
        `h_l = ELU(GraphAttention(d) + d R)` with `d = dropout(h_{l-1})`, concatenating the heads;
        `d R` only with `residual`, from the second layer on; the last layer averages its heads,
        and has neither ELU nor `d R`

    Args:
        input_dim: Number of features D of a node.
        num_classes: Number of classes C.
        hidden_dim: Size of each head in all layers but the last.
        num_heads: Number of heads in all layers but the last.
        num_layers: Number of layers.
        output_heads: Number of heads of the last layer.
        dropout: Dropout rate of the inputs of each layer, and of their projections that are summed.
        attention_dropout: Dropout rate of the attention weights.
        l2: Factor of the L2 penalty of all weights, `l2 / 2 sum w^2`.
        normalize_features: Whether to divide the features of each node by the sum of their
            absolute values.
        add_self_loops: Whether every node attends to itself.
        residual: Whether to add the projected input of each layer between the first and the last to
            its output.
        edge_dim: Number of features F of an edge; None if edges have none.

    Inputs: `nodes` (N, D), `edges` (2, E) int32, from node edges[0, e] to node edges[1, e]; with
        `edge_dim` also `edge_features` (E, F). An edge that names no node, such as (-1, -1), takes
        no part.
    Outputs: `logits` (N, C), float32.

    Example:
        >>> model = GAT(input_dim=11, num_classes=3)
        >>> model.output["logits"].shape
        (None, 3)
    """

    def __init__(
        self,
        input_dim: FromTask[PositiveInt],
        num_classes: FromTask[PositiveInt],
        hidden_dim: PositiveInt = 8,
        num_heads: PositiveInt = 8,
        num_layers: PositiveInt = 2,
        output_heads: PositiveInt = 1,
        dropout: Rate = 0.6,
        attention_dropout: Rate = 0.6,
        l2: NonNegative = 0.0,
        normalize_features: bool = False,
        add_self_loops: bool = True,
        residual: bool = False,
        edge_dim: FromTask[PositiveInt | None] = None,
        dtype: Any = None,
        name: str = "gat",
        **kwargs: Any,
    ) -> None:
        self._config = config_of(GAT, locals())

        # === Layers ===
        def regularizer() -> Any:
            return keras.regularizers.L2(l2 / 2) if l2 else None

        def attention(layer: int) -> GraphAttention:
            last = layer == num_layers - 1
            return GraphAttention(
                units=num_classes if last else hidden_dim,
                num_heads=output_heads if last else num_heads,
                aggregate="mean" if last else "concat",
                dropout=attention_dropout,
                value_dropout=dropout,
                add_self_loops=add_self_loops,
                kernel_regularizer=regularizer(),
                bias_regularizer=regularizer(),
                dtype=dtype,
                name=f"layer_{layer}",
            )

        self.present = EdgeMask(name="present_edges")
        self.layers_of_attention = [attention(layer) for layer in range(num_layers)]
        self.drops = [
            Dropout(dropout, dtype=dtype, name=f"dropout_{layer}") for layer in range(num_layers)
        ]
        self.skips = [
            keras.layers.Dense(
                each.units * (each.num_heads if each.aggregate == "concat" else 1),
                use_bias=False,
                kernel_regularizer=regularizer(),
                dtype=dtype,
                name=f"skip_{layer}",
            )
            for layer, each in enumerate(self.layers_of_attention)
            if residual and 0 < layer < num_layers - 1
        ]
        self.normalize_features, self.add_self_loops = normalize_features, add_self_loops

        # === Functional model ===
        inputs = {
            "nodes": keras.Input((input_dim,), name="nodes"),
            "edges": keras.Input(batch_shape=(2, None), dtype="int32", name="edges"),
        }
        if edge_dim is not None:
            inputs["edge_features"] = keras.Input((edge_dim,), name="edge_features")
        logits, _, _ = self.read(inputs)
        outputs = {"logits": keras.layers.Activation("linear", dtype="float32")(logits)}
        super().__init__(inputs=inputs, outputs=outputs, name=name, **kwargs)

    def read(self, inputs: Tensors, with_maps: bool = False) -> tuple[Any, Any, list[Any]]:
        """Runs all layers.

        Args:
            inputs: The inputs of the model.
            with_maps: Whether to return attention weights.

        Outputs: The logits (N, C), the input of the last layer (N, D), and with `with_maps` the
            attention weights of each layer: (E, H), or (E + N, H) with those of added self-loops.
        """
        x, edges = inputs["nodes"], inputs["edges"]
        given = {"edges_mask": self.present(x, edges)}
        if "edge_features" in inputs:
            given["edge_features"] = inputs["edge_features"]
        if self.normalize_features:
            total = ops.sum(ops.abs(x), axis=-1, keepdims=True)
            x = x / ops.where(total > 0, total, 1.0)
        maps, last, hidden = [], len(self.layers_of_attention) - 1, x
        for number, layer in enumerate(self.layers_of_attention):
            hidden, x = x, self.drops[number](x)
            y = layer(x, edges, return_attention_scores=with_maps, **given)
            if with_maps:
                y, weights = y
                maps.append(weights)
            if self.skips and 0 < number < last:
                y = y + self.skips[number - 1](x)
            x = y if number == last else ops.elu(y)
        return x, hidden, maps

    @property
    def attention_layers(self) -> dict[str, int]:
        return {EDGES: len(self.layers_of_attention)}

    def attention_maps(self, inputs: Tensors) -> dict[str, list[Any]]:
        """The attention weights of every layer on the edges, see `read`."""
        return {EDGES: self.read(inputs, with_maps=True)[2]}

    def hidden(self, inputs: Tensors) -> Any:
        """The nodes as the last layer sees them, (N, D)."""
        return self.read(inputs)[1]

    @property
    def layer_groups(self) -> list[list[keras.layers.Layer]]:
        """The layers from the input up."""
        return [[layer] for layer in self.layers_of_attention]
