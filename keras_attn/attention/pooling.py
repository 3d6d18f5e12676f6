"""Attention pooling of a sequence into one vector."""

from typing import Any, ClassVar

import keras
from keras import ops

from keras_attn.attention.arguments import check_sizes
from keras_attn.checked import CheckedLayer
from keras_attn.functional.dense import dense
from keras_attn.functional.masks import zero_masked
from keras_attn.functional.softmax import masked_softmax


@keras.saving.register_keras_serializable(package="keras_attn")
class AttentionPooling(CheckedLayer):
    """Attention pooling: reduces a sequence to one vector with a trainable query.

    A sequence whose positions are all masked gives zeros.

    Source: Yang et al. 2016, equations 5 to 7, and 8 to 10 for sentences.
    Formula: `s = sum_t w_t h_t` with `w_t = softmax_t(tanh(h_t W + b) . q)`

    Args:
        units: Width A of the hidden layer and of the query. Defaults to the width of the sequence.
        kernel_initializer: Initializer of W and q.

    Inputs: `sequence` (..., T, D); `mask` (..., T), True at valid positions, defaults to Keras's
        implicit mask. Weights: W (D, A), b (A), q (A).
    Outputs: (..., D); with `return_attention_scores` also the attention weights (..., T). The
        output has no mask, because the masked axis is removed.

    Raises:
        ValueError: If `units` is not positive.

    Example:
        >>> from keras import ops
        >>> from keras_attn import AttentionPooling
        >>> layer = AttentionPooling(units=7)
        >>> pooled, weights = layer(ops.ones((3, 5, 11)), return_attention_scores=True)
        >>> tuple(pooled.shape), tuple(weights.shape)
        ((3, 11), (3, 5))
    """

    axes: ClassVar[dict[str, str]] = {"sequence": "... T D", "mask": "... T"}

    def __init__(
        self, units: int | None = None, kernel_initializer: Any = "glorot_uniform", **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        check_sizes(units=units)
        self.units = units
        self.kernel_initializer = keras.initializers.get(kernel_initializer)
        self.supports_masking = True

    def build(self, sequence_shape: tuple) -> None:
        width = sequence_shape[-1]
        units = self.units or width
        self._widths = {"sequence": width}
        # Clones, because an initializer instance returns the same values at every call.
        draw = self.kernel_initializer.clone
        self.kernel = self.add_weight(name="kernel", shape=(width, units), initializer=draw())
        self.bias = self.add_weight(name="bias", shape=(units,), initializer="zeros")
        self.query = self.add_weight(name="query", shape=(units,), initializer=draw())

    def call(self, sequence: Any, mask: Any = None, return_attention_scores: bool = False) -> Any:
        sequence = zero_masked(sequence, mask)
        hidden = ops.tanh(dense(sequence, self.kernel, self.bias))
        weights = masked_softmax(dense(hidden, self.query), mask)
        pooled = ops.matmul(ops.expand_dims(weights, -2), sequence)
        pooled = ops.squeeze(pooled, -2)
        return (pooled, weights) if return_attention_scores else pooled

    def compute_mask(self, inputs: Any, previous_mask: Any = None) -> None:
        return None

    def compute_output_shape(self, sequence_shape: tuple) -> tuple:
        return (*sequence_shape[:-2], sequence_shape[-1])

    def compute_output_spec(
        self, sequence: Any, mask: Any = None, return_attention_scores: bool = False
    ) -> Any:
        shape = self.compute_output_shape(sequence.shape)
        pooled = keras.KerasTensor(shape, self.compute_dtype)
        weights = keras.KerasTensor(sequence.shape[:-1], self.compute_dtype)
        return (pooled, weights) if return_attention_scores else pooled

    def get_config(self) -> dict[str, Any]:
        config = {
            "units": self.units,
            "kernel_initializer": keras.initializers.serialize(self.kernel_initializer),
        }
        return {**super().get_config(), **config}
