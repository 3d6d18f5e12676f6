"""Stacked recurrent layers, in one direction or in both."""

from typing import Any

from keras import ops

from keras_attn.dropout import Dropout
from zoo.models.cells import recurrent_layer


class RecurrentStack:
    """Recurrent layers on top of each other; each may read the sequence in both directions.

    Source: Graves & Schmidhuber 2005 (bidirectional layers).
    Formula: `h_N = RNN_N(... RNN_1(x))`, each layer `[h→; h←]` if bidirectional

    Args:
        cell: "gru", "lstm", "elman", "jordan" or "orthogonal".
        units: Width U of the recurrent states, in each direction.
        num_layers: Number of recurrent layers N.
        bidirectional: Whether each layer also reads the sequence backwards.
        dropout: Dropout rate of the input of each layer.
        dtype: Dtype policy of the layers.

    Raises:
        ValueError: If cell is unknown.

    Example:
        >>> stack = RecurrentStack("gru", units=5, num_layers=2)
        >>> x, mask = ops.ones((2, 3, 7)), ops.ones((2, 3), "bool")
        >>> sequence, last = stack(x, mask)
        >>> tuple(sequence.shape), tuple(last.shape)
        ((2, 3, 10), (2, 10))
    """

    def __init__(
        self,
        cell: str,
        units: int,
        num_layers: int,
        bidirectional: bool = True,
        dropout: float = 0.0,
        dtype: Any = None,
    ) -> None:
        directions = {"forward": False, "backward": True} if bidirectional else {"forward": False}
        self.layers = [
            {
                name: recurrent_layer(
                    cell,
                    units,
                    dtype,
                    return_state=True,
                    go_backwards=backwards,
                    name=f"{name}_{i}",
                )
                for name, backwards in directions.items()
            }
            for i in range(num_layers)
        ]
        self.drop = Dropout(dropout, dtype=dtype, name="dropout")

    def __call__(self, x: Any, mask: Any) -> tuple[Any, Any]:
        """The outputs of the highest layer (B, T, W), and its last ones (B, W).

        W is U, or 2 U for both directions. The last output of a direction is that of the last
        position it reads.

        Args:
            x: The sequences (B, T, D).
            mask: bool tensor (B, T), False at padding.
        """
        for layers in self.layers:
            x, last = self._run(layers, self.drop(x), mask)
        return x, last

    @staticmethod
    def _run(layers: dict[str, Any], x: Any, mask: Any) -> tuple[Any, Any]:
        """One layer, in its directions."""
        onward, last, *_ = layers["forward"](x, mask=mask)
        if "backward" not in layers:
            return onward, last
        back, first, *_ = layers["backward"](x, mask=mask)
        onward = ops.concatenate([onward, ops.flip(back, axis=1)], axis=-1)
        return onward, ops.concatenate([last, first], axis=-1)
