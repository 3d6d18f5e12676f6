"""One layer of a Transformer decoder, over a whole sequence or step by step."""

from typing import Any

import keras
from keras import ops

from keras_attn.blocks.transformer_block import TransformerBlock


@keras.saving.register_keras_serializable(package="keras_attn")
class DecoderBlock(TransformerBlock):
    """Causal self-attention, attention to a memory, then a feed-forward network.

    Source: Vaswani et al. 2017, section 3.1; pre-norm: Xiong et al. 2020, figure 1.
    Formula: `h = LN(x + MHA(x, x, x))` over the past, `g = LN(h + MHA(h, m, m))`,
    `y = LN(g + FFN(g))`; with `pre_norm` the norms stand before the sublayers

    Args:
        num_heads: Number of heads H.
        intermediate_dim: Width between the two layers of the feed-forward network.
        key_dim: Width K of one head; D / H by default.
        activation: "relu", "gelu", "gelu_tanh" or "glu".
        dropout: Share that training drops of each sublayer's output.
        attention_dropout: Share of the attention weights that training drops.
        activation_dropout: Dropout rate after the activation of the feed-forward network.
        pre_norm: Normalize before each sublayer, not after the sum.
        position: How the heads of self-attention know positions, as in `MultiHeadAttention`.
        num_key_value_heads: As in `MultiHeadAttention`.
        window: Greatest distance at which self-attention sees, as in `MultiHeadAttention`.
        epsilon: What the norms add to the variance, under the root.
        kernel_initializer: Initializer of the kernels of the attention and feed-forward layers,
            such as `keras.initializers.RandomNormal(stddev=0.02)` for BERT and GPT.
        residual_initializer: Initializer of the kernels whose output is added to the residual
            stream: the output projection of each attention and the second feed-forward kernel.
            GPT-2's has a standard deviation of `0.02 / sqrt(2 N)` for N blocks. By default
            `kernel_initializer`.

    Inputs: `sequence` (B, T, D); `memory` (B, S, Dm); `padding_mask` (B, T) and `memory_mask`
        (B, S), True at real positions, by default Keras's implicit masks.
    Outputs: (B, T, D); with `return_attention_scores` also the weights over the memory
        (B, H, T, S).

    Raises:
        ValueError: If D is not a multiple of num_heads and key_dim is not given.

    Example:
        >>> layer = DecoderBlock(num_heads=2, intermediate_dim=13)
        >>> x, memory = ops.ones((3, 5, 14)), ops.ones((3, 7, 11))
        >>> tuple(layer(x, memory).shape)
        (3, 5, 14)
        >>> cache = layer.initial_cache(batch_size=3, max_length=5)
        >>> output, cache, weights = layer.step(x[:, :1], layer.project_memory(memory), cache, 0)
        >>> tuple(output.shape), tuple(weights.shape)
        ((3, 1, 14), (3, 2, 1, 7))
    """

    sublayers = 3

    def build(self, sequence_shape: tuple, memory_shape: tuple) -> None:
        self.self_attention = self.new_self_attention("self_attention", sequence_shape)
        self.cross_attention = self.new_attention("cross_attention", sequence_shape[-1])
        self.cross_attention.build(sequence_shape, memory_shape)
        self.build_end(sequence_shape)

    def call(
        self,
        sequence: Any,
        memory: Any,
        padding_mask: Any = None,
        memory_mask: Any = None,
        return_attention_scores: bool = False,
        training: bool | None = None,
        sequence_mask: Any = None,
    ) -> Any:
        around_self, around_cross, _ = self.residuals
        padding_mask = sequence_mask if padding_mask is None else padding_mask
        x = around_self.enter(sequence)
        # Not the attentions themselves, to whose call Keras would add the mask of x as a query.
        change = self.self_attention.call(
            x, x, use_causal_mask=True, value_mask=padding_mask, training=training
        )
        x = around_self(sequence, change, training=training)
        found = self.cross_attention.call(
            around_cross.enter(x),
            memory,
            value_mask=memory_mask,
            return_attention_scores=return_attention_scores,
            training=training,
        )
        change, weights = found if return_attention_scores else (found, None)
        x = self.end(around_cross(x, change, training=training), training)
        return (x, weights) if return_attention_scores else x

    def project_memory(self, memory: Any) -> tuple[Any, Any]:
        """Keys and values of the memory, for all steps of a decoding, (B, H, S, K) each."""
        return self.cross_attention.project_keys_values(memory)

    def initial_cache(self, batch_size: Any, max_length: Any) -> tuple[Any, Any]:
        """Room for the keys and values of the steps to come, (B, H, L, K) each."""
        return self.self_attention.initial_cache(batch_size, max_length)

    def step(
        self,
        sequence: Any,
        memory: tuple[Any, Any],
        cache: Any,
        index: Any,
        memory_mask: Any = None,
    ) -> tuple[Any, Any, Any]:
        """One step, with the numbers that the whole-sequence call has at `index`.

        Args:
            sequence: Tensor (B, 1, D), the input of this step.
            memory: What `project_memory` gave.
            cache: What `initial_cache` or the step before gave.
            index: Number of this step, from 0; an integer or a scalar tensor.
            memory_mask: Mask (B, S).

        Outputs: The output (B, 1, D), the new cache and the weights over the memory (B, H, 1, S).
        """
        around_self, around_cross, _ = self.residuals
        change, cache = self.self_attention.step(around_self.enter(sequence), cache, index)
        x = around_self(sequence, change)
        change, weights = self.cross_attention.attend(
            around_cross.enter(x), *memory, _of_keys(memory_mask)
        )
        x = around_cross(x, change)
        return self.end(x), cache, weights

    def compute_output_spec(
        self,
        sequence: Any,
        memory: Any,
        *args: Any,
        return_attention_scores: bool = False,
        **kwargs: Any,
    ) -> Any:
        output = keras.KerasTensor(sequence.shape, self.compute_dtype)
        shape = (sequence.shape[0], self.num_heads, sequence.shape[1], memory.shape[1])
        weights = keras.KerasTensor(shape, self.compute_dtype)
        return (output, weights) if return_attention_scores else output


def _of_keys(mask: Any) -> Any:
    """(B, S) -> (B, 1, S), for all queries alike."""
    return None if mask is None else ops.expand_dims(mask, 1)
