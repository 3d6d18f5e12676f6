"""The layer that copies tokens of the source."""

from typing import Any

import keras
from keras import ops

SMALLEST = 1e-9  # probability of a token that is neither generated nor copied


@keras.saving.register_keras_serializable(package="keras_attn")
class CopyingLogits(keras.layers.Layer):
    """Logits of tokens that are generated, or copied from the source where the decoder attends.

    Source: See et al. 2017, "Get To The Point: Summarization with Pointer-Generator Networks",
        equations 8 and 9, with the output of the decoder in place of context, state and input.
    Formula: `p = sigmoid(y w + b)`; `P(v) = p softmax(logits)_v + (1 - p) sum_{s: x_s = v} a_s`;
        the output is `log P`

    Source and target have the same vocabulary. The copies take memory for B S V numbers.

    Inputs: `outputs` of the decoder (B, T, U), `logits` (B, T, V), attention `weights` (B, T, S)
        that sum to 1, and `source_ids` (B, S).
    Outputs: (B, T, V), float32.

    Example:
        >>> layer = CopyingLogits()
        >>> outputs, logits = ops.zeros((1, 1, 2)), ops.zeros((1, 1, 4))
        >>> weights, source_ids = ops.array([[[0.5, 0.5]]]), ops.array([[3, 3]])
        >>> log_p = layer(outputs, logits, weights, source_ids)
        >>> ops.convert_to_numpy(ops.exp(log_p)).round(3).tolist()  # p is 0.5
        [[[0.125, 0.125, 0.125, 0.625]]]
    """

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.supports_masking = True

    def build(self, outputs_shape: Any, *other_shapes: Any, **shapes: Any) -> None:
        self.kernel = self.add_weight((outputs_shape[-1], 1), "glorot_uniform", name="kernel")
        self.bias = self.add_weight((1,), "zeros", name="bias")

    def call(self, outputs: Any, logits: Any, weights: Any, source_ids: Any) -> Any:
        outputs, logits, weights = (
            ops.cast(each, "float32") for each in (outputs, logits, weights)
        )
        kernel, bias = (ops.cast(each, "float32") for each in (self.kernel, self.bias))
        generated = ops.sigmoid(ops.matmul(outputs, kernel) + bias)
        copies = ops.matmul(weights, ops.one_hot(source_ids, logits.shape[-1], dtype="float32"))
        chances = generated * ops.softmax(logits, axis=-1) + (1 - generated) * copies
        return ops.log(chances + SMALLEST)

    def compute_output_spec(
        self, outputs: Any, logits: Any, weights: Any, source_ids: Any
    ) -> keras.KerasTensor:
        return keras.KerasTensor(logits.shape, "float32")
