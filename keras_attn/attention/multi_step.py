"""Multi-step attention, the attention in each layer of a convolutional decoder."""

from typing import Any, ClassVar

import keras
from keras import ops

from keras_attn.attention.projection import Projection, dtype_of, unquantized
from keras_attn.checked import CheckedLayer
from keras_attn.functional.masks import merge_masks, zero_masked
from keras_attn.functional.softmax import masked_softmax


@keras.saving.register_keras_serializable(package="keras_attn")
class MultiStepAttention(CheckedLayer):
    """Multi-step attention of a convolutional sequence-to-sequence decoder (ConvS2S).

    The keys are the encoder outputs; the values are the sums of the encoder outputs and the source
    embeddings. With `scale`, variances stay the same if the attention is spread evenly. The
    residual connection around the layer is not included. The output is the output bias where a
    target position can attend to no source position.

    Source: Gehring et al. 2017, equations 1 and 2; scales: section 3.4, as in the fairseq library.
    Formula: `d_t = h_t W + b + g_t`, `w_ts = softmax_s(d_t . z_s)`,
        `c_t = sum_s w_ts (z_s + e_s)`, `output_t = c_t U + u`; with `scale`, the sums
        `(h_t W + b + g_t)` and `(z_s + e_s)` are multiplied by `sqrt(1/2)`, and c_t by `sqrt(m)`, m
        being the number of source positions that are not masked

    Args:
        scale: Whether to scale sums and contexts to keep their variances, as published models do.
        kernel_initializer: Initializer of the kernels W and U.

    Inputs: `state` h (B, T, D) of the decoder layer, `target_embedding` g (B, T, E), `memory` z
        (B, S, E), the encoder outputs, and `source_embedding` e (B, S, E); `memory_mask` and
        `source_embedding_mask` (B, S), True for positions to attend to, default to Keras's implicit
        masks and are combined. Weights: W (D, E), b (E), U (E, D), u (D).
    Outputs: (B, T, D); with `return_attention_scores` also the attention weights (B, T, S).

    Raises:
        ValueError: If the embeddings and the memory differ in width.

    Example:
        >>> from keras import ops
        >>> from keras_attn import MultiStepAttention
        >>> layer = MultiStepAttention(scale=True)
        >>> target, source = ops.ones((3, 5, 2)), ops.ones((3, 7, 2))
        >>> output, weights = layer(
        ...     ops.ones((3, 5, 11)), target, source, source, return_attention_scores=True
        ... )
        >>> tuple(output.shape), tuple(weights.shape)
        ((3, 5, 11), (3, 5, 7))
    """

    axes: ClassVar[dict[str, str]] = {
        "state": "B T D",
        "target_embedding": "B T E",
        "memory": "B S E",
        "source_embedding": "B S E",
        "memory_mask": "B S",
        "source_embedding_mask": "B S",
    }

    def __init__(
        self, scale: bool = False, kernel_initializer: Any = "glorot_uniform", **kwargs: Any
    ) -> None:
        dtype, self._projection_dtype = unquantized(kwargs.pop("dtype", None))
        super().__init__(dtype=dtype, **kwargs)
        self.scale = scale
        self.kernel_initializer = keras.initializers.get(kernel_initializer)
        self.supports_masking = True

    def build(
        self,
        state_shape: tuple,
        target_embedding_shape: tuple,
        memory_shape: tuple,
        source_embedding_shape: tuple,
    ) -> None:
        shapes = (target_embedding_shape, memory_shape, source_embedding_shape)
        widths = [shape[-1] for shape in shapes]
        if len(set(widths)) > 1:
            raise ValueError(
                "target_embedding, memory and source_embedding must have equal widths; received "
                f"{widths[0]}, {widths[1]} and {widths[2]}."
            )
        self._widths = {"state": state_shape[-1], "memory": widths[0]}
        self._query = self._projection("query", state_shape, widths[0])
        self._output = self._projection("output", memory_shape, state_shape[-1])

    def _projection(self, name: str, x_shape: tuple, width: int) -> Projection:
        projection = Projection(
            (width,),
            kernel_initializer=self.kernel_initializer,
            dtype=self._projection_dtype or self.dtype_policy,
            name=name,
        )
        projection.build(x_shape)
        return projection

    def call(
        self,
        state: Any,
        target_embedding: Any,
        memory: Any,
        source_embedding: Any,
        return_attention_scores: bool = False,
        memory_mask: Any = None,
        source_embedding_mask: Any = None,
    ) -> Any:
        mask = merge_masks(memory_mask, source_embedding_mask)
        memory, source_embedding = (zero_masked(x, mask) for x in (memory, source_embedding))
        query = self._sum_of_two(self._query(state), target_embedding)
        scores = ops.matmul(query, ops.swapaxes(memory, -1, -2))
        weights = masked_softmax(scores, None if mask is None else ops.expand_dims(mask, 1))
        context = ops.matmul(weights, self._sum_of_two(memory, source_embedding))
        if self.scale:
            context = context * self._spread(memory, mask)
        output = self._output(context)
        return (output, weights) if return_attention_scores else output

    def _sum_of_two(self, x: Any, y: Any) -> Any:
        return (x + y) * 0.5**0.5 if self.scale else x + y

    def _spread(self, memory: Any, mask: Any) -> Any:
        """Returns `sqrt(m)`, the scale of a mean of m independent vectors; (B, 1, 1) or ()."""
        if mask is None:
            count = ops.cast(ops.shape(memory)[1], "float32")
        else:
            count = ops.sum(ops.cast(mask, "float32"), axis=-1, keepdims=True)
            count = ops.expand_dims(count, -1)
        return ops.cast(ops.sqrt(count), self.compute_dtype)

    def compute_output_shape(
        self,
        state_shape: tuple,
        target_embedding_shape: tuple | None = None,
        memory_shape: tuple | None = None,
        source_embedding_shape: tuple | None = None,
    ) -> tuple:
        return state_shape

    def compute_output_spec(
        self,
        state: Any,
        target_embedding: Any,
        memory: Any,
        *args: Any,
        return_attention_scores: bool = False,
        **kwargs: Any,
    ) -> Any:
        output = keras.KerasTensor(state.shape, self.compute_dtype)
        weights = keras.KerasTensor((*state.shape[:-1], memory.shape[1]), self.compute_dtype)
        return (output, weights) if return_attention_scores else output

    def get_config(self) -> dict[str, Any]:
        config = {
            "scale": self.scale,
            "kernel_initializer": keras.initializers.serialize(self.kernel_initializer),
        }
        config |= dtype_of(self._query if self.built else None, self._projection_dtype)
        return {**super().get_config(), **config}
