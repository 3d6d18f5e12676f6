"""One layer of a Transformer encoder."""

from typing import Any

import keras

from keras_attn.blocks.transformer_block import TransformerBlock


@keras.saving.register_keras_serializable(package="keras_attn")
class EncoderBlock(TransformerBlock):
    """Self-attention, then a feed-forward network, each with a residual connection.

    Source: Vaswani et al. 2017, section 3.1; pre-norm: Xiong et al. 2020, figure 1.
    Formula: `h = LN(x + MHA(x, x, x))`, `y = LN(h + FFN(h))`; with `pre_norm`
    `h = x + MHA(LN(x))`, `y = h + FFN(LN(h))`, and the stack ends in a LayerNorm of its own

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

    With `use_causal_mask` it is the block of a decoder without memory, as in GPT (Radford et al.
    2018), and decodes step by step with a cache.

    Inputs: `sequence` (B, T, D); `padding_mask` (B, T), True at real positions, by default Keras's
        implicit mask; `attention_mask`, which broadcasts to (B, T, T); `use_causal_mask` hides the
        future.
    Outputs: (B, T, D); with `return_attention_scores` also the weights (B, H, T, T).

    Raises:
        ValueError: If D is not a multiple of num_heads and key_dim is not given.

    Example:
        >>> layer = EncoderBlock(num_heads=2, intermediate_dim=13)
        >>> tuple(layer(keras.ops.ones((3, 5, 14))).shape)
        (3, 5, 14)
    """

    def build(self, sequence_shape: tuple) -> None:
        self.attention = self.new_self_attention("attention", sequence_shape)
        self.build_end(sequence_shape)

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
        # Keras hands the implicit mask over as `mask` where the sequence is the only tensor given,
        # as `sequence_mask` where there are others.
        for implicit in (mask, sequence_mask):
            padding_mask = implicit if padding_mask is None else padding_mask
        residual = self.residuals[0]
        x = residual.enter(sequence)
        # Not the attention itself, to whose call Keras would add the mask of x as a query.
        found = self.attention.call(
            x,
            x,
            attention_mask=attention_mask,
            use_causal_mask=use_causal_mask,
            value_mask=padding_mask,
            return_attention_scores=return_attention_scores,
            training=training,
        )
        change, weights = found if return_attention_scores else (found, None)
        x = self.end(residual(sequence, change, training=training), training)
        return (x, weights) if return_attention_scores else x

    def initial_cache(self, batch_size: Any, max_length: Any) -> tuple[Any, Any]:
        """Room for the keys and values of the steps to come, (B, H, L, K) each."""
        return self.attention.initial_cache(batch_size, max_length)

    def step(
        self, sequence: Any, cache: Any, index: Any, attention_mask: Any = None
    ) -> tuple[Any, Any]:
        """One step or several in a row, with the numbers that the whole call has from `index` on.

        Args:
            sequence: Tensor (B, T, D), the input of these steps; T = 1 for one.
            cache: What `initial_cache` or the step before gave.
            index: Number of the first of them, from 0; an integer or a scalar tensor.
            attention_mask: Which steps see which, a mask that broadcasts to (B, T, L), L being all
                that there is room for; by default the causal one.

        Outputs: The output (B, T, D) and the new cache.
        """
        residual = self.residuals[0]
        inputs = residual.enter(sequence)
        change, cache = self.attention.step(inputs, cache, index, attention_mask)
        return self.end(residual(sequence, change)), cache

    def compute_output_spec(
        self, sequence: Any, *args: Any, return_attention_scores: bool = False, **kwargs: Any
    ) -> Any:
        output = keras.KerasTensor(sequence.shape, self.compute_dtype)
        batch, length, _ = sequence.shape
        weights = keras.KerasTensor((batch, self.num_heads, length, length), self.compute_dtype)
        return (output, weights) if return_attention_scores else output
