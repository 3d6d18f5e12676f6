"""What encoder and decoder blocks have in common."""

from typing import Any

import keras

from keras_attn.attention.multi_head import MultiHeadAttention
from keras_attn.blocks.feed_forward import FeedForward
from keras_attn.blocks.residual import EPSILON, Residual
from keras_attn.position.schemes import PositionScheme, get_position


class TransformerBlock(keras.layers.Layer):
    """Attentions and a feed-forward network, each with a residual connection.

    Source: Vaswani et al. 2017, section 3.1.
    Formula: `y = LN(x + f(x))` for each sublayer f, or `y = x + f(LN(x))` with `pre_norm`

    Args:
        num_heads: Number of heads H.
        intermediate_dim: Width between the two layers of the feed-forward network.
        key_dim: Width K of one head; D / H by default.
        activation: "relu", "gelu", "gelu_tanh" or "glu".
        dropout: Share of each sublayer's output that training drops.
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

    Example:
        >>> block = TransformerBlock(num_heads=2, intermediate_dim=13, position="rotary")
        >>> block.get_config()["position"]
        'rotary'
    """

    sublayers = 2

    def __init__(
        self,
        num_heads: int,
        intermediate_dim: int,
        key_dim: int | None = None,
        activation: str = "relu",
        dropout: float = 0.0,
        attention_dropout: float = 0.0,
        activation_dropout: float = 0.0,
        pre_norm: bool = False,
        position: Any = None,
        num_key_value_heads: int | None = None,
        window: int | None = None,
        epsilon: float = EPSILON,
        kernel_initializer: Any = "glorot_uniform",
        residual_initializer: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.num_heads = num_heads
        self.key_dim = key_dim
        self.attention_dropout = attention_dropout
        self.num_key_value_heads = num_key_value_heads
        self.window = window
        self.position = get_position(position) if isinstance(position, dict) else position
        self.kernel_initializer = keras.initializers.get(kernel_initializer)
        self.residual_initializer = keras.initializers.get(residual_initializer)
        self.feed_forward = FeedForward(
            intermediate_dim,
            activation,
            activation_dropout,
            self.kernel_initializer,
            self.residual_initializer,
            dtype=self.dtype_policy,
        )
        self.residuals = [
            Residual(pre_norm, dropout, epsilon, dtype=self.dtype_policy)
            for _ in range(self.sublayers)
        ]
        self.supports_masking = True

    def new_attention(self, name: str, width: int, **options: Any) -> MultiHeadAttention:
        """An attention with the block's heads, over inputs of width D."""
        return MultiHeadAttention(
            self.num_heads,
            width_of_head(width, self.num_heads, self.key_dim),
            num_key_value_heads=self.num_key_value_heads,
            dropout=self.attention_dropout,
            kernel_initializer=self.kernel_initializer,
            output_kernel_initializer=self.residual_initializer,
            dtype=self.dtype_policy,
            name=name,
            **options,
        )

    def new_self_attention(self, name: str, sequence_shape: tuple) -> MultiHeadAttention:
        """The one that knows positions, built."""
        options = {"position": self.position, "window": self.window}
        attention = self.new_attention(name, sequence_shape[-1], **options)
        attention.build(sequence_shape, sequence_shape)
        return attention

    def build_end(self, sequence_shape: tuple) -> None:
        """Builds all but the attentions."""
        self.feed_forward.build(sequence_shape)
        for residual in self.residuals:
            residual.build(sequence_shape)

    def end(self, x: Any, training: bool | None = None) -> Any:
        """The feed-forward network, which is the last sublayer of every block."""
        residual = self.residuals[-1]
        change = self.feed_forward(residual.enter(x), training=training)
        return residual(x, change, training=training)

    def get_config(self) -> dict[str, Any]:
        position = self.position
        if isinstance(position, PositionScheme):
            position = keras.saving.serialize_keras_object(position)
        return {
            **super().get_config(),
            "num_heads": self.num_heads,
            "key_dim": self.key_dim,
            "intermediate_dim": self.feed_forward.intermediate_dim,
            "activation": self.feed_forward.activation,
            "dropout": self.residuals[0].dropout,
            "attention_dropout": self.attention_dropout,
            "activation_dropout": self.feed_forward.dropout,
            "pre_norm": self.residuals[0].pre_norm,
            "epsilon": self.residuals[0].epsilon,
            "position": position,
            "num_key_value_heads": self.num_key_value_heads,
            "window": self.window,
            "kernel_initializer": keras.initializers.serialize(self.kernel_initializer),
            "residual_initializer": keras.initializers.serialize(self.residual_initializer),
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
