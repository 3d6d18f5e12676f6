"""A bidirectional recurrent layer whose outputs attention pools into one vector."""

from typing import Any

import keras
from keras import ops

from keras_attn.attention.pooling import AttentionPooling
from keras_attn.dropout import Dropout
from zoo.models.cells import recurrent_layer


@keras.saving.register_keras_serializable(package="keras_attn")
class AttentiveRNN(keras.layers.Layer):
    """Reads sequences in both directions, and pools each into one vector with attention.

    Source: Yang et al. 2016, equations 1 to 7, for words; 8 to 10 for sentences.
    Formula: `v = sum_t w_t h_t` with `h_t = [RNN→(x)_t; RNN←(x)_t]` and
        `w_t = softmax_t(tanh(W h_t + b) . q)`

    Args:
        units: Width U of the recurrent states, in each direction.
        cell: "gru", "lstm", "elman", "jordan" or "orthogonal".
        dropout: Dropout rate of the inputs.

    Inputs: `sequence` (..., T, D) with any leading axes; `mask` (..., T), True at real positions.
    Outputs: (..., 2 U), zeros for a sequence without real positions; with
        `return_attention_scores` also the weights w (..., T).

    Example:
        >>> words, mask = ops.ones((2, 3, 5, 7)), ops.ones((2, 3, 5), "bool")
        >>> tuple(AttentiveRNN(units=4)(words, mask=mask).shape)
        (2, 3, 8)
    """

    def __init__(self, units: int, cell: str = "gru", dropout: float = 0.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.units, self.cell, self.dropout = units, cell, dropout
        self.supports_masking = True
        policy = self.dtype_policy
        self._drop = Dropout(dropout, dtype=policy)
        self.forward = recurrent_layer(cell, units, policy, name="forward")
        self.backward = recurrent_layer(cell, units, policy, name="backward", go_backwards=True)
        self.pooling = AttentionPooling(dtype=policy, name="pooling")

    def build(self, sequence_shape: tuple) -> None:
        flat = (None, *sequence_shape[-2:])
        self.forward.build(flat)
        self.backward.build(flat)
        self.pooling.build((*flat[:-1], 2 * self.units))

    def call(
        self,
        sequence: Any,
        mask: Any,
        return_attention_scores: bool = False,
        training: bool | None = None,
    ) -> Any:
        shape = ops.shape(sequence)
        x = ops.reshape(sequence, (-1, *shape[-2:]))
        steps = ops.reshape(mask, (-1, shape[-2]))
        x = self._drop(x, training=training)
        onward = self.forward(x, mask=steps, training=training)
        back = self.backward(x, mask=steps, training=training)
        hidden = ops.concatenate([onward, ops.flip(back, axis=1)], axis=-1)
        pooled, weights = self.pooling(hidden, mask=steps, return_attention_scores=True)
        pooled = ops.reshape(pooled, (*shape[:-2], 2 * self.units))
        if return_attention_scores:
            return pooled, ops.reshape(weights, shape[:-1])
        return pooled

    def compute_mask(self, *args: Any, **kwargs: Any) -> None:
        return None

    def compute_output_shape(self, sequence_shape: tuple) -> tuple:
        return (*sequence_shape[:-2], 2 * self.units)

    def get_config(self) -> dict[str, Any]:
        own = {"units": self.units, "cell": self.cell, "dropout": self.dropout}
        return {**super().get_config(), **own}
