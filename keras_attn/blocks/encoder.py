"""Transformer encoder block."""

from typing import Any, ClassVar

import keras

from keras_attn.attention.cudnn import causal_mask_suffices
from keras_attn.blocks.attend_to_itself import attend_to_itself, step_of, weights_spec
from keras_attn.blocks.transformer_block import TransformerBlock
from keras_attn.functional.masks import zero_masked


@keras.saving.register_keras_serializable(package="keras_attn")
class EncoderBlock(TransformerBlock):
    """Transformer encoder block: self-attention and a feed-forward network.

    With `use_causal_mask` it is a decoder block without cross-attention, as in GPT (Radford et al.
    2018), and can decode step by step with a cache.

    Source: Vaswani et al. 2017, section 3.1; pre-norm: Xiong et al. 2020, figure 1.
    Formula: `h = N(x + A(x, x, x))`, `y = N(h + F(h))`, A being the attention, F the feed-forward
        network and N a normalization; with `pre_norm` `h = x + A(N(x))`, `y = h + F(N(h))`; a
        pre-norm stack needs a final normalization; with `output_norm` also `h = x + N(A(N(x)))`,
        `y = h + N(F(N(h)))`

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
            with weights of its own; the layer itself is not changed. It replaces `num_heads`,
            `key_dim`, `attention_dropout` and the options from `position` to
            `attention_bias`. Defaults to `MultiHeadAttention`.
        feed_forward: Layer (B, T, D) -> (B, T, D) that replaces the feed-forward network,
            `intermediate_dim`, `activation` and `activation_dropout`; the block builds a copy, too.
        normalization: "layer", "rms", or a layer, of which each sublayer gets a copy.
        output_norm: Whether the output of each sublayer is normalized, too, as in Gemma 2; only
            with `pre_norm`.
        first_norm: Whether the input of the first sublayer is normalized; False only with
            `pre_norm`, as in the first block of ModernBERT, whose input is.

    Inputs: `sequence` (B, T, D); `padding_mask` (B, T), True at valid positions, defaults to
        Keras's implicit mask, and the sequence counts as zero elsewhere; `attention_mask`, True for
        positions to attend to, broadcasts to (B, T, T); `use_causal_mask` masks future positions.
    Outputs: (B, T, D); with `return_attention_scores` also the attention weights (B, H, T, T).

    Raises:
        ValueError: If `key_dim` is not given and `num_heads` does not divide D, or if an argument
            of `MultiHeadAttention` or `FeedForward` is invalid.

    Example:
        >>> import keras
        >>> from keras import ops
        >>> from keras_attn import EncoderBlock
        >>> layer = EncoderBlock(num_heads=2, intermediate_dim=13)
        >>> tuple(layer(keras.ops.ones((3, 5, 14))).shape)
        (3, 5, 14)
        >>> from keras_attn import FeedForward, LinearAttention
        >>> feed_forward = FeedForward(13, "swiglu", use_bias=False)
        >>> linear = LinearAttention(num_heads=2, key_dim=7)
        >>> layer = EncoderBlock(attention=linear, feed_forward=feed_forward, normalization="rms")
        >>> tuple(layer(keras.ops.ones((3, 5, 14)), use_causal_mask=True).shape)
        (3, 5, 14)
    """

    replaced: ClassVar[dict[str, Any]] = {
        "num_heads": None,
        "key_dim": None,
        "attention_dropout": 0.0,
        "position": None,
        "num_key_value_heads": None,
        "sliding_window": None,
        "aggregate": "project",
        "tie_key_value": False,
        "score": "scaled_dot",
        "normalizer": "softmax",
        "attention_regularizer": None,
        "attention_bias": True,
    }

    def build(self, sequence_shape: tuple) -> None:
        self._widths = {"sequence": sequence_shape[-1]}
        self.attention = self.new_self_attention("attention", sequence_shape)
        self.build_end(sequence_shape)

    def attends_to_itself(self) -> Any:
        return self.attention

    def call(
        self,
        sequence: Any,
        padding_mask: Any = None,
        attention_mask: Any = None,
        use_causal_mask: bool = False,
        return_attention_scores: bool = False,
        training: bool | None = None,
        mask: Any = None,
        sequence_mask: Any = None,
    ) -> Any:
        # Keras passes the implicit mask as `mask` if the sequence is the only tensor, and otherwise
        # as `sequence_mask`.
        for implicit in (mask, sequence_mask):
            padding_mask = implicit if padding_mask is None else padding_mask
        sequence = zero_masked(sequence, padding_mask)
        residual = self.residuals[0]
        x = residual.enter(sequence)
        change, weights = attend_to_itself(
            self.attention,
            x,
            None if causal_mask_suffices(use_causal_mask) else padding_mask,
            use_causal_mask,
            attention_mask,
            return_attention_scores,
            training,
        )
        x = self.end(residual(sequence, change, training=training), training)
        return (x, weights) if return_attention_scores else x

    def initial_cache(self, batch_size: Any, max_length: Any) -> Any:
        """Returns the state of the self-attention before the first step.

        Of `MultiHeadAttention` it is an empty cache of keys and values, (B, G, L, K) each.
        """
        return self.attention.initial_cache(batch_size, max_length)

    def step(
        self,
        sequence: Any,
        cache: Any,
        index: Any,
        attention_mask: Any = None,
        count: Any = None,
    ) -> tuple[Any, Any]:
        """Computes one step of the causal block, or several consecutive ones, with a cache.

        Args:
            sequence: Tensor (B, T, D), the inputs of the T steps; T = 1 for one step.
            cache: The cache from `initial_cache` or from the previous call.
            index: Position of the first of the steps, an integer or a scalar tensor.
            attention_mask: Mask that broadcasts to (B, T, L), L being the length of the cache.
                Defaults to the causal mask. Only for an attention that has such a mask.
            count: Number of steps that count; the others are padding on the right, which the next
                call overwrites at the position `index + count`. Defaults to T.

        Returns:
            The outputs (B, T, D), equal to those of the whole sequence, and the new cache.
        """
        residual = self.residuals[0]
        inputs = residual.enter(sequence)
        change, cache = step_of(self.attention, inputs, cache, index, attention_mask, count)
        return self.end(residual(sequence, change)), cache

    def compute_output_shape(self, sequence_shape: tuple) -> tuple:
        return sequence_shape

    def compute_output_spec(
        self, sequence: Any, *args: Any, return_attention_scores: bool = False, **kwargs: Any
    ) -> Any:
        output = keras.KerasTensor(sequence.shape, self.compute_dtype)
        return (
            (output, weights_spec(self.attention, sequence)) if return_attention_scores else output
        )
