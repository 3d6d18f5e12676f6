"""One layer of a Transformer encoder."""

from typing import Any

import keras

from keras_attn.attention.multi_head import MultiHeadAttention
from keras_attn.blocks.feed_forward import FeedForward
from keras_attn.blocks.residual import Residual
from keras_attn.functional.masks import merge_attention_masks


@keras.saving.register_keras_serializable(package="keras_attn")
class EncoderBlock(keras.layers.Layer):
    """Self-attention, then a feed-forward network, each with a residual connection.

    Source: Vaswani et al. 2017, section 3.1; pre-norm: Xiong et al. 2020, figure 1.
    Formula: `h = LN(x + MHA(x, x, x))`, `y = LN(h + FFN(h))`; with `pre_norm`
    `h = x + MHA(LN(x))`, `y = h + FFN(LN(h))`, and the stack ends in a LayerNorm of its own

    Args:
        num_heads: Number of heads H.
        hidden_width: Width between the two layers of the feed-forward network.
        key_dim: Width K of one head; D / H by default.
        activation: "relu", "gelu" or "glu".
        dropout: Share that training drops of each sublayer's output.
        attention_dropout: Share of the attention weights that training drops.
        pre_norm: Normalize before each sublayer, not after the sum.

    Inputs: `sequence` (B, T, D); `padding_mask` (B, T), True at real positions, by default Keras's
        implicit mask; `attention_mask`, which broadcasts to (B, T, T).
    Outputs: (B, T, D); with `return_attention_scores` also the weights (B, H, T, T).

    Raises:
        ValueError: If D is not a multiple of num_heads and key_dim is not given.

    Example:
        >>> layer = EncoderBlock(num_heads=2, hidden_width=13)
        >>> tuple(layer(keras.ops.ones((3, 5, 14))).shape)
        (3, 5, 14)
    """

    def __init__(
        self,
        num_heads: int,
        hidden_width: int,
        key_dim: int | None = None,
        activation: str = "relu",
        dropout: float = 0.0,
        attention_dropout: float = 0.0,
        pre_norm: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.num_heads = num_heads
        self.key_dim = key_dim
        self.attention_dropout = attention_dropout
        self.feed_forward = FeedForward(hidden_width, activation, dtype=self.dtype_policy)
        self.residuals = [Residual(pre_norm, dropout, dtype=self.dtype_policy) for _ in range(2)]
        self.supports_masking = True

    def build(self, sequence_shape: tuple) -> None:
        self.attention = MultiHeadAttention(
            self.num_heads,
            width_of_head(sequence_shape[-1], self.num_heads, self.key_dim),
            dropout=self.attention_dropout,
            dtype=self.dtype_policy,
            name="attention",
        )
        self.attention.build(sequence_shape, sequence_shape)
        self.feed_forward.build(sequence_shape)
        for residual in self.residuals:
            residual.build(sequence_shape)

    def call(
        self,
        sequence: Any,
        padding_mask: Any = None,
        attention_mask: Any = None,
        return_attention_scores: bool = False,
        training: bool | None = None,
        mask: Any = None,
        sequence_mask: Any = None,
    ) -> Any:
        # Keras hands the implicit mask over as `mask` where the sequence is the only tensor given,
        # as `sequence_mask` where there are others.
        for implicit in (mask, sequence_mask):
            padding_mask = implicit if padding_mask is None else padding_mask
        around_attention, around_feed_forward = self.residuals
        x = around_attention.enter(sequence)
        # Not by a call of the attention, to which Keras would add the mask of x as a query.
        mask = merge_attention_masks(x, x, attention_mask, value_mask=padding_mask)
        keys_values = self.attention.project_keys_values(x)
        change, weights = self.attention.attend(x, *keys_values, mask, training)
        x = around_attention(sequence, change, training=training)
        change = self.feed_forward(around_feed_forward.enter(x), training=training)
        x = around_feed_forward(x, change, training=training)
        return (x, weights) if return_attention_scores else x

    def compute_output_spec(
        self, sequence: Any, *args: Any, return_attention_scores: bool = False, **kwargs: Any
    ) -> Any:
        output = keras.KerasTensor(sequence.shape, self.compute_dtype)
        batch, length, _ = sequence.shape
        weights = keras.KerasTensor((batch, self.num_heads, length, length), self.compute_dtype)
        return (output, weights) if return_attention_scores else output

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "num_heads": self.num_heads,
            "key_dim": self.key_dim,
            "hidden_width": self.feed_forward.hidden_width,
            "activation": self.feed_forward.activation,
            "dropout": self.residuals[0].dropout,
            "attention_dropout": self.attention_dropout,
            "pre_norm": self.residuals[0].pre_norm,
        }


def width_of_head(width: int, num_heads: int, key_dim: int | None) -> int:
    """key_dim, or the usual share of each head, D / H.

    Raises:
        ValueError: If the width is not a multiple of num_heads and key_dim is not given.
    """
    if key_dim is not None:
        return key_dim
    if num_heads < 1 or width % num_heads:
        raise ValueError(
            f"num_heads must divide the width {width} where key_dim is not given; "
            f"received {num_heads}."
        )
    return width // num_heads
