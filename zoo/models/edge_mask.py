"""A mask of the edges between nodes that exist."""

from typing import Any

import keras
from keras import ops


# The registered name is that in saved models.
@keras.saving.register_keras_serializable(package="keras_attn", name="PresentEdges")
class EdgeMask(keras.layers.Layer):
    """Masks edges that name no node, such as those of padding, whose ends are -1.

    So a graph may be padded to a fixed size, and a service does not fail on an edge to a missing
    node.

    Source: the masks of Veličković et al. 2018, section 2.1.
    Formula: `mask_e = 0 <= edges_0e, edges_1e < N`

    Inputs: `nodes` (N, D), `edges` (2, E).
    Outputs: (E), True for edges that take part.

    Example:
        >>> edges = ops.array([[0, 2, -1], [1, 3, -1]])
        >>> ops.convert_to_numpy(EdgeMask()(ops.ones((3, 5)), edges)).tolist()
        [True, False, False]
    """

    def call(self, nodes: Any, edges: Any) -> Any:
        exist = ops.logical_and(edges >= 0, edges < ops.shape(nodes)[0])
        return ops.all(exist, axis=0)

    def compute_output_spec(self, nodes: Any, edges: Any) -> Any:
        return keras.KerasTensor(edges.shape[1:], "bool")
