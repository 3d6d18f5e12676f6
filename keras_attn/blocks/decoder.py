"""Transformer decoder block, for whole sequences and step by step."""

from typing import Any

import keras

from keras_attn.attention.cudnn import causal_mask_suffices
from keras_attn.blocks.attend_to_itself import attend_to_itself, step_of, weights_spec
from keras_attn.blocks.transformer_block import TransformerBlock
from keras_attn.functional.masks import for_all_queries, zero_masked


@keras.saving.register_keras_serializable(package="keras_attn")
class DecoderBlock(TransformerBlock):
    """Transformer decoder block: causal self-attention, cross-attention and a feed-forward network.

    Source: Vaswani et al. 2017, section 3.1; pre-norm: Xiong et al. 2020, figure 1.
    Formula: `h = N(x + A(x, x, x))` with a causal mask, `g = N(h + MHA(h, m, m))`,
        `y = N(g + F(g))`, A being the self-attention, F the feed-forward network and N a
        normalization; with `pre_norm`, the input of each sublayer is normalized instead

    Args:
        num_heads: Number of attention heads H.
        intermediate_dim: Hidden width of the feed-forward network.
        key_dim: Size K of each head. Defaults to D / H.
        activation: Activation of the feed-forward network, as in `FeedForward`: "relu", "gelu",
            "gelu_tanh", "glu", "swiglu", "geglu" or "geglu_tanh".
        dropout: Dropout rate of the output of each sublayer.
        attention_dropout: Dropout rate of the attention weights.
        activation_dropout: Dropout rate after the activation of the feed-forward network.
        pre_norm: Whether to normalize the input of each sublayer (pre-norm) instead of the sum
            (post-norm).
        position: Position scheme of the self-attention, as in `MultiHeadAttention`.
        num_key_value_heads: Number of key and value heads, as in `MultiHeadAttention`.
        sliding_window: Window of the self-attention, as in `MultiHeadAttention`.
        aggregate: How heads are combined, as in `MultiHeadAttention`; with "mean", each head of
            values has the width D.
        tie_key_value: Whether keys and values share one projection.
        score: Name of an attention score, or a `Score` layer, of which each attention gets a copy.
        normalizer: Normalizer of the scores, as in `MultiHeadAttention`.
        attention_regularizer: Regularizer of the attention weights, such as `HeadDiversity(0.1)`.
        attention_bias: Whether the projections of the attentions have biases.
        epsilon: Epsilon of the normalization.
        kernel_initializer: Initializer of the kernels of the attention and the feed-forward
            network. BERT and GPT use `keras.initializers.RandomNormal(stddev=0.02)`.
        residual_initializer: Initializer of the kernels whose outputs are added to the residual
            stream: the output projections of the attention, and the second kernel of the
            feed-forward network. GPT-2 uses a standard deviation of `0.02 / sqrt(2 N)` for N
            blocks. Defaults to `kernel_initializer`.

        attention: Layer that computes the self-attention, such as `LocalAttention`: any layer with
            the protocol `SelfAttention`, or its serialized form. The block builds a copy of it,
            with weights of its own; the layer itself is not changed. It replaces `position` and
            `sliding_window`, while the cross-attention stays `MultiHeadAttention`. Defaults to
            `MultiHeadAttention`.
        feed_forward: Layer (B, T, D) -> (B, T, D) that replaces the feed-forward network,
            `intermediate_dim`, `activation` and `activation_dropout`; the block builds a copy, too.
        normalization: "layer", "rms", or a layer, of which each sublayer gets a copy.
        output_norm: Whether the output of each sublayer is normalized, too; only with `pre_norm`.
        first_norm: Whether the input of the first sublayer is normalized; False only with
            `pre_norm`.

    Inputs: `sequence` (B, T, D); `memory` (B, S, Dm), the encoder outputs; `padding_mask` (B, T)
        and `memory_mask` (B, S), True at valid positions, default to Keras's implicit masks;
        sequence and memory count as zero elsewhere.
    Outputs: (B, T, D); with `return_attention_scores` also the weights of the self-attention
        (B, H, T, T) and of the cross-attention (B, H, T, S).

    Raises:
        ValueError: If `key_dim` is not given and `num_heads` does not divide D, or if an argument
            of `MultiHeadAttention` or `FeedForward` is invalid.

    Example:
        >>> from keras import ops
        >>> from keras_attn import DecoderBlock
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
        self._widths = {"sequence": sequence_shape[-1], "memory": memory_shape[-1]}
        self.self_attention = self.new_self_attention("self_attention", sequence_shape)
        self.cross_attention = self.new_attention("cross_attention", sequence_shape[-1])
        self.cross_attention.build(sequence_shape, memory_shape)
        self.build_end(sequence_shape)

    def attends_to_itself(self) -> Any:
        return self.self_attention

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
        sequence = zero_masked(sequence, padding_mask)
        x = around_self.enter(sequence)
        change, of_self = attend_to_itself(
            self.self_attention,
            x,
            None if causal_mask_suffices(True) else padding_mask,
            use_causal_mask=True,
            return_attention_scores=return_attention_scores,
            training=training,
        )
        x = around_self(sequence, change, training=training)
        # `call` directly, because `__call__` would add the implicit mask of x as a query mask.
        attended = self.cross_attention.call(
            around_cross.enter(x),
            memory,
            value_mask=memory_mask,
            return_attention_scores=return_attention_scores,
            training=training,
        )
        change, of_cross = attended if return_attention_scores else (attended, None)
        x = self.end(around_cross(x, change, training=training), training)
        return (x, of_self, of_cross) if return_attention_scores else x

    def project_memory(self, memory: Any, memory_mask: Any = None) -> tuple[Any, Any]:
        """Projects the memory to keys and values, once for all steps, (B, G, S, K) each.

        Args:
            memory: Tensor (B, S, Dm).
            memory_mask: Mask (B, S).

        Returns:
            Keys and values, for `step`.
        """
        return self.cross_attention.project_keys_values(zero_masked(memory, memory_mask))

    def initial_cache(self, batch_size: Any, max_length: Any) -> Any:
        """Returns the state of the self-attention before the first step.

        Of `MultiHeadAttention` it is an empty cache of keys and values, (B, G, L, K) each.
        """
        return self.self_attention.initial_cache(batch_size, max_length)

    def step(
        self,
        sequence: Any,
        memory: tuple[Any, Any],
        cache: Any,
        index: Any,
        memory_mask: Any = None,
    ) -> tuple[Any, Any, Any]:
        """Computes one step with a cache.

        Args:
            sequence: Tensor (B, 1, D), the input of this step.
            memory: Keys and values from `project_memory`.
            cache: The cache from `initial_cache` or from the previous step.
            index: Position of this step, an integer or a scalar tensor.
            memory_mask: Mask (B, S).

        Returns:
            The output (B, 1, D), equal to that of the whole sequence at `index`, the new cache, and
            the cross-attention weights (B, H, 1, S).
        """
        around_self, around_cross, _ = self.residuals
        change, cache = step_of(self.self_attention, around_self.enter(sequence), cache, index)
        x = around_self(sequence, change)
        change, weights = self.cross_attention.attend(
            around_cross.enter(x), *memory, for_all_queries(memory_mask)
        )
        x = around_cross(x, change)
        return self.end(x), cache, weights

    def compute_output_shape(
        self, sequence_shape: tuple, memory_shape: tuple | None = None
    ) -> tuple:
        return sequence_shape

    def compute_output_spec(
        self,
        sequence: Any,
        memory: Any,
        *args: Any,
        return_attention_scores: bool = False,
        **kwargs: Any,
    ) -> Any:
        output = keras.KerasTensor(sequence.shape, self.compute_dtype)
        if not return_attention_scores:
            return output
        batch, length, _ = sequence.shape
        axes = (batch, self.num_heads, length, memory.shape[1])
        of_cross = keras.KerasTensor(axes, self.compute_dtype)
        return output, weights_spec(self.self_attention, sequence), of_cross
