"""A recurrent layer whose states continue from one training batch to the next."""

from typing import Any

import keras
from keras import ops

from keras_attn.recurrent.rnn import RNN


@keras.saving.register_keras_serializable(package="keras_attn")
class StatefulRNN(keras.layers.Layer):
    """A recurrent layer that starts a training batch from the last states of the previous batch.

    Source: Zaremba et al. 2014, section 4.1.
    Formula: `y, s_last = RNN(x, s)`; `s = stop_gradient(s_last)` for the next batch

    Args:
        layer: The layer, which must return its states.
        rows: Size B of every training batch. If None, each batch starts from zero states.

    Inputs: `sequence` (B, T, D); `mask` (B, T), True at real tokens.
    Outputs: (B, T, U).

    Raises:
        ValueError: If a training batch has another number of rows.

    Example:
        >>> from keras_attn import GRUCell
        >>> rnn = RNN(GRUCell(5), return_sequences=True, return_state=True)
        >>> layer, x = StatefulRNN(rnn, rows=2), ops.ones((2, 3, 7))
        >>> first, second = layer(x, training=True), layer(x, training=True)
        >>> bool(ops.all(second[:, 0] == first[:, 0]))
        False
    """

    def __init__(self, layer: RNN, rows: int | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.layer = layer
        self.rows = rows
        self.supports_masking = True

    def build(self, sequence_shape: tuple) -> None:
        self.layer.build(sequence_shape)
        sizes = keras.tree.flatten(self.layer.state_size) if self.rows else []
        self.states = [
            self.add_weight((self.rows, size), "zeros", trainable=False, name=f"state_{i}")
            for i, size in enumerate(sizes)
        ]

    def call(self, sequence: Any, mask: Any = None, training: bool | None = None) -> Any:
        # Not layer(...), whose outputs would carry Keras's implicit mask to later layers.
        if not (training and self.states):
            return self.layer.call(sequence, mask=mask, training=training)[0]
        if sequence.shape[0] not in (None, self.rows):
            raise ValueError(
                f"a training batch must have {self.rows} rows, like the states; received "
                f"{sequence.shape[0]}."
            )
        first = [ops.convert_to_tensor(state) for state in self.states]
        output, *last = self.layer.call(sequence, first, mask, training=training)
        for state, new in zip(self.states, last, strict=True):
            state.assign(ops.cast(ops.stop_gradient(new), state.dtype))
        return output

    def reset(self) -> None:
        """Starts the next training batch from zero states."""
        for state in self.states:
            state.assign(ops.zeros(state.shape, state.dtype))

    def compute_mask(self, *args: Any, **kwargs: Any) -> None:
        return None

    def compute_output_shape(self, sequence_shape: tuple) -> tuple:
        return self.layer.compute_output_shape(sequence_shape)[0]

    def get_config(self) -> dict[str, Any]:
        layer = keras.saving.serialize_keras_object(self.layer)
        return {**super().get_config(), "layer": layer, "rows": self.rows}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> "StatefulRNN":
        return cls(**{**config, "layer": keras.saving.deserialize_keras_object(config["layer"])})
