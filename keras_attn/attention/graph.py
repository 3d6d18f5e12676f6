"""Attention over the edges of a graph."""

import math
from typing import Any, ClassVar

import keras
from keras import ops

from keras_attn.attention.arguments import check_dropout, check_sizes
from keras_attn.attention.graph_inputs import check_edges, check_graph_shapes
from keras_attn.checked import CheckedLayer
from keras_attn.dropout import Dropout
from keras_attn.functional.dense import dense
from keras_attn.functional.disjoint import disjoint_union
from keras_attn.functional.masks import merge_masks, zero_masked
from keras_attn.functional.segment import segment_softmax
from keras_attn.functional.self_loops import with_self_loops

AGGREGATES = ("concat", "mean")


@keras.saving.register_keras_serializable(package="keras_attn")
class GraphAttention(CheckedLayer):
    """Graph attention: attends from each node to the nodes with an edge to it.

    Takes one graph, or a batch of graphs that are padded to one size. One graph can also be the
    disjoint union of several, as `GraphBatches` makes it for `fit`. Time and memory grow with the
    number of edges. A node attends to itself only if it has an edge to itself; `add_self_loops`
    gives one to every node, as in the paper, in place of any that the edges have. The output of a
    node without incoming edges is the bias, that of a masked node zero. The softmax and the sums
    are computed in float32 under every dtype policy.

    Source: Veličković et al. 2018, equations 1 to 6, without the activation after them.
    Formula: `c_t = agg_j sum_{i in N(t)} w_it^j W^j h_i + b` with
        `w_it^j = softmax_i LeakyReLU(u^j . W^j h_i + v^j . W^j h_t + z^j . f_it)`; agg concatenates
        the heads (concat) or averages them (mean); f are features of edges, 0 for added loops

    Args:
        units: Size K of each head.
        num_heads: Number of heads H.
        aggregate: How heads are combined: "concat" or "mean".
        negative_slope: Slope of the LeakyReLU for negative inputs.
        dropout: Dropout rate of the attention weights.
        value_dropout: Dropout rate of the features W h that are summed, as in the published code.
            The attention weights are computed from all of them.
        use_bias: Whether to add a bias.
        add_self_loops: Whether to add an edge from each node to itself. Edges from a node to itself
            in the input then take no part.
        kernel_initializer: Initializer of the kernel and of the attention vectors.
        bias_initializer: Initializer of the bias.
        kernel_regularizer: Regularizer of the kernel and of the attention vectors.
        bias_regularizer: Regularizer of the bias.

    Inputs: `nodes` (N, D) and `edges` (2, E) of one graph, or (B, N, D) and (B, 2, E) of a batch;
        edges are integers: from node edges[0, e] to node edges[1, e]. Masks are True for what takes
        part: `nodes_mask` (N) or (B, N), `edges_mask` (E) or (B, E); they default to Keras's
        implicit masks. An edge of a masked node is masked, and what is masked may have any value.
        Optionally features of edges, `edge_features` (E, F) or (B, E, F). Weights: kernel W
        (D, H, K), source_attention u (H, K), target_attention v (H, K), edge_attention z (F, H) if
        edges have features, bias (H K) or (K).
    Outputs: (N, H K) or (B, N, H K), with K for H K if `aggregate` is "mean"; with
        `return_attention_scores` also the attention weights (E, H) or (B, E, H) before dropout,
        which end with those of the N added loops, if there are any: (E + N, H) or (B, E + N, H).

    Raises:
        ValueError: If a size is not positive, `aggregate` is unknown, `dropout` is not in [0, 1),
            `nodes` and `edges` are not of one of the two forms, `edges` are not integers, edges
            have features only at some of the calls, or an edge names a node that does not exist.
            The last is only checked eagerly; in a compiled function the result depends on the
            backend.

    Example:
        >>> import keras
        >>> from keras import ops
        >>> from keras_attn import GraphAttention
        >>> layer = GraphAttention(units=7, num_heads=2)
        >>> nodes, edges = ops.ones((3, 5)), ops.array([[0, 1, 2, 2], [1, 0, 0, 2]])
        >>> output, weights = layer(nodes, edges, return_attention_scores=True)
        >>> tuple(output.shape), ops.convert_to_numpy(weights)[:, 0].tolist()
        ((3, 14), [1.0, 0.5, 0.5, 1.0])
        >>> nodes = keras.Input((None, 5), name="nodes")  # a batch of graphs, for `fit`
        >>> edges = keras.Input((2, None), dtype="int32", name="edges")
        >>> edges_mask = keras.Input((None,), dtype="bool", name="edges_mask")
        >>> layer(nodes, edges, edges_mask=edges_mask).shape
        (None, None, 14)
    """

    axes: ClassVar[dict[str, str]] = {
        "nodes": "B... N D",
        "edges": "int B... 2 E",
        "nodes_mask": "B... N",
        "edges_mask": "B... E",
        "edge_features": "B... E F",
    }

    def __init__(
        self,
        units: int,
        num_heads: int = 1,
        aggregate: str = "concat",
        negative_slope: float = 0.2,
        dropout: float = 0.0,
        value_dropout: float = 0.0,
        use_bias: bool = True,
        add_self_loops: bool = False,
        kernel_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        check_sizes(units=units, num_heads=num_heads)
        if aggregate not in AGGREGATES:
            choices = ", ".join(AGGREGATES)
            raise ValueError(f"aggregate must be one of {choices}; received {aggregate!r}.")
        check_dropout(dropout)
        check_dropout(value_dropout, "value_dropout")
        self.units = units
        self.num_heads = num_heads
        self.aggregate = aggregate
        self.negative_slope = negative_slope
        self.dropout = dropout
        self.value_dropout = value_dropout
        self.use_bias = use_bias
        self.add_self_loops = add_self_loops
        self.kernel_initializer = keras.initializers.get(kernel_initializer)
        self.bias_initializer = keras.initializers.get(bias_initializer)
        self.kernel_regularizer = keras.regularizers.get(kernel_regularizer)
        self.bias_regularizer = keras.regularizers.get(bias_regularizer)
        self._dropout = Dropout(dropout, dtype="float32")
        self._value_dropout = Dropout(value_dropout, dtype="float32")
        self.supports_masking = True

    def build(
        self, nodes_shape: tuple, edges_shape: tuple, edge_features_shape: tuple | None = None
    ) -> None:
        self._widths = {"nodes": nodes_shape[-1]}
        heads, regularizer = (self.num_heads, self.units), self.kernel_regularizer
        self.kernel = self.add_weight(
            (nodes_shape[-1], *heads), self._draw_kernel, name="kernel", regularizer=regularizer
        )
        self.source_attention = self._add_attention(heads, "source_attention")
        self.target_attention = self._add_attention(heads, "target_attention")
        self.edge_attention = None
        if edge_features_shape is not None:
            self._widths["edge_features"] = edge_features_shape[-1]
            shape = (edge_features_shape[-1], self.num_heads)
            self.edge_attention = self._add_attention(shape, "edge_attention")
        self.bias = None
        if self.use_bias:
            self.bias = self.add_weight(
                (self._width,),
                self.bias_initializer,
                name="bias",
                regularizer=self.bias_regularizer,
            )

    def _add_attention(self, shape: tuple, name: str) -> Any:
        # A clone, because an initializer instance returns the same values at every call.
        initializer, regularizer = self.kernel_initializer.clone(), self.kernel_regularizer
        return self.add_weight(shape, initializer, name=name, regularizer=regularizer)

    def _draw_kernel(self, shape: tuple, dtype: Any = None) -> Any:
        """Initializes the kernel as a matrix, so that the initializer sees its true fan."""
        matrix = (shape[0], math.prod(shape[1:]))
        return ops.reshape(self.kernel_initializer.clone()(matrix, dtype=dtype), shape)

    @property
    def _width(self) -> int:
        return self.units * (self.num_heads if self.aggregate == "concat" else 1)

    def check(self, given: dict[str, Any]) -> None:
        if all(hasattr(given.get(name), "shape") for name in ("nodes", "edges")):
            ends = (2, None) if self.built else (2,)  # `fit` hides all first axes
            check_graph_shapes(given["nodes"].shape, given["edges"].shape, ends)
        super().check(given)

    def call(
        self,
        nodes: Any,
        edges: Any,
        nodes_mask: Any = None,
        edges_mask: Any = None,
        edge_features: Any = None,
        return_attention_scores: bool = False,
        training: bool | None = None,
    ) -> Any:
        check_edges(edges, nodes.shape[-2], edges_mask)
        of_edges = self._scores_of_features(edge_features, edges_mask)
        edges = ops.cast(edges, "int32")
        if edges_mask is not None:
            edges = ops.where(ops.expand_dims(ops.cast(edges_mask, "bool"), -2), edges, 0)
        sizes = ops.shape(nodes)[:-1]
        if self.add_self_loops:
            edges, edges_mask = with_self_loops(edges, edges_mask, sizes[-1])
            if of_edges is not None:
                of_loops = ops.zeros((*sizes, self.num_heads), of_edges.dtype)
                of_edges = ops.concatenate([of_edges, of_loops], axis=-2)
        num_edges = ops.shape(edges)[-1]
        if len(sizes) == 2:
            nodes, edges = disjoint_union(nodes, edges)
        nodes_mask, edges_mask = (
            None if mask is None else ops.reshape(ops.cast(mask, "bool"), (-1,))
            for mask in (nodes_mask, edges_mask)
        )
        if of_edges is not None:
            of_edges = ops.reshape(of_edges, (-1, self.num_heads))
        output, weights = self._attend(nodes, edges, nodes_mask, edges_mask, of_edges, training)
        if len(sizes) == 2:
            output = ops.reshape(output, (*sizes, self._width))
            weights = ops.reshape(weights, (sizes[0], num_edges, self.num_heads))
        return (output, weights) if return_attention_scores else output

    def _scores_of_features(self, edge_features: Any, edges_mask: Any) -> Any:
        """What the features of edges add to the scores, (..., E, H); None without features."""
        if (edge_features is None) != (self.edge_attention is None):
            raise ValueError("edge_features must be given at every call of a layer, or at none.")
        if edge_features is None:
            return None
        edge_features = zero_masked(edge_features, edges_mask)
        return ops.cast(dense(edge_features, self.edge_attention), "float32")

    def _attend(
        self,
        nodes: Any,
        edges: Any,
        nodes_mask: Any,
        edges_mask: Any,
        of_edges: Any,
        training: bool | None,
    ) -> tuple[Any, Any]:
        """The output (N, H K) or (N, K) and the weights (E, H) of one graph."""
        source, target = edges[0], edges[1]
        # One more node, so that masked edges have an end if there are no nodes.
        num_nodes = ops.shape(nodes)[0] + 1
        nodes = zero_masked(nodes, nodes_mask)
        if nodes_mask is not None:
            present = ops.pad(ops.cast(nodes_mask, "int32"), ((0, 1),))
            ends = (ops.take(present, end, axis=0) for end in (source, target))
            edges_mask = merge_masks(edges_mask, *ends)
        # A node may have thousands of edges, too many to sum in half precision.
        hidden = ops.cast(dense(nodes, self.kernel), "float32")
        hidden = ops.pad(hidden, ((0, 1), (0, 0), (0, 0)))  # (N + 1, H, K)
        as_source, as_target = (
            ops.sum(hidden * ops.cast(attention, "float32"), axis=-1)  # (N + 1, H)
            for attention in (self.source_attention, self.target_attention)
        )
        scores = ops.take(as_source, source, axis=0) + ops.take(as_target, target, axis=0)
        if of_edges is not None:
            scores = scores + of_edges
        scores = ops.leaky_relu(scores, self.negative_slope)
        weights = segment_softmax(scores, target, num_nodes, edges_mask)  # (E, H)
        kept = ops.expand_dims(self._dropout(weights, training=training), -1)
        values = ops.take(self._value_dropout(hidden, training=training), source, axis=0)
        contexts = ops.segment_sum(values * kept, target, num_nodes)[:-1]
        if self.aggregate == "mean":
            output = ops.mean(contexts, axis=1)
        else:
            output = ops.reshape(contexts, (-1, self._width))
        if self.bias is not None:
            output = output + ops.cast(self.bias, "float32")
        if nodes_mask is not None:
            output = output * ops.expand_dims(ops.cast(nodes_mask, "float32"), -1)
        return ops.cast(output, self.compute_dtype), ops.cast(weights, self.compute_dtype)

    def compute_output_shape(
        self,
        nodes_shape: tuple,
        edges_shape: tuple | None = None,
        edge_features_shape: tuple | None = None,
    ) -> tuple:
        return (*nodes_shape[:-1], self._width)

    def compute_output_spec(self, *args: Any, **kwargs: Any) -> Any:
        return keras.Operation.compute_output_spec(self, *args, **kwargs)  # traces `call`

    def get_config(self) -> dict[str, Any]:
        config = {
            "units": self.units,
            "num_heads": self.num_heads,
            "aggregate": self.aggregate,
            "negative_slope": self.negative_slope,
            "dropout": self.dropout,
            "value_dropout": self.value_dropout,
            "use_bias": self.use_bias,
            "add_self_loops": self.add_self_loops,
            "kernel_initializer": keras.initializers.serialize(self.kernel_initializer),
            "bias_initializer": keras.initializers.serialize(self.bias_initializer),
            "kernel_regularizer": keras.regularizers.serialize(self.kernel_regularizer),
            "bias_regularizer": keras.regularizers.serialize(self.bias_regularizer),
        }
        return {**super().get_config(), **config}
