"""The blocks of a Transformer model, and the layers before and after them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import keras

from keras_attn.attention.linear import LinearAttention
from keras_attn.attention.local import LocalAttention
from keras_attn.attention.projected_heads import ProjectedHeads
from keras_attn.attention.random_feature import RandomFeatureAttention
from keras_attn.blocks.decoder import DecoderBlock
from keras_attn.blocks.encoder import EncoderBlock
from keras_attn.blocks.feed_forward import FeedForward
from keras_attn.blocks.normalization import LayerNormalization
from keras_attn.blocks.residual import EPSILON, NORMALIZATIONS
from keras_attn.blocks.rms_normalization import RMSNormalization
from keras_attn.position.learned import LearnedPositions
from keras_attn.position.scheme import PositionScheme
from keras_attn.position.sinusoidal import SinusoidalPositions
from zoo.models.bias import Bias
from zoo.models.reversible_embedding import ReversibleEmbedding
from zoo.models.transformer_options import FULL, LINEAR, LOCAL, SINUSOIDAL, TransformerOptions


def glorot_uniform() -> keras.initializers.Initializer:
    """The initializer of Keras's dense layers."""
    return keras.initializers.GlorotUniform()


@dataclass(frozen=True)
class TransformerBlocks:
    """Creates the layers of a Transformer model with some options.

    Args:
        options: The options that Transformer models share.
        hidden_dim: Width D of the hidden states.
        num_heads: Number of attention heads.
        intermediate_dim: Width between the two layers of each feed-forward network.
        activation: Activation of the feed-forward networks.
        dropout: Dropout rate of each sublayer's output.
        attention_dropout: Dropout rate of the attention weights, if there are any.
        pre_norm: Whether the input of each sublayer is normalized, instead of the sum.
        epsilon: Epsilon of the normalizations.
        new_initializer: Returns a new initializer of kernels and embeddings.
        new_residual_initializer: Returns that of the kernels whose outputs are added to the
            residual stream, or None for the same.
        dtype: Dtype policy.
        shared_position: Positions inside the attention of all blocks, or None for those of the
            options.

    Raises:
        ValueError: If `num_heads` does not divide `hidden_dim`.

    Example:
        >>> options = TransformerOptions("local", window=64, position="none")
        >>> new = TransformerBlocks(options, 16, 2, 32, "relu", dropout=0.1, attention_dropout=0.0)
        >>> new.encoder("block_0").name
        'block_0'
    """

    options: TransformerOptions
    hidden_dim: int
    num_heads: int
    intermediate_dim: int
    activation: str
    dropout: float
    attention_dropout: float
    pre_norm: bool = False
    epsilon: float = EPSILON
    new_initializer: Callable[[], keras.initializers.Initializer] = glorot_uniform
    new_residual_initializer: Callable[[], keras.initializers.Initializer] | None = None
    dtype: Any = None
    shared_position: PositionScheme | None = None

    def encoder(self, name: str, **changed: Any) -> EncoderBlock:
        """A new block of self-attention and a feed-forward network.

        Args:
            name: Its name.
            **changed: Arguments of `EncoderBlock` in place of those of all blocks.
        """
        common = self._common(name) | changed
        if common.get("feed_forward") is not None:  # which replaces them
            for each in ("intermediate_dim", "activation", "activation_dropout"):
                del common[each]
        if isinstance(common["normalization"], keras.Layer):
            del common["epsilon"]
        if self.options.attention == FULL:
            return EncoderBlock(**{**self._of_heads(), **self._positions(), **common})
        return EncoderBlock(**common, attention=self._attention(common))

    def feed_forward_without_bias(self) -> FeedForward:
        """A feed-forward network like that of all blocks, without biases."""
        residual = self.new_residual_initializer
        return FeedForward(
            self.intermediate_dim,
            self.activation,
            self.options.activation_dropout,
            kernel_initializer=self.new_initializer(),
            residual_initializer=None if residual is None else residual(),
            use_bias=False,
            dtype=self.dtype,
            name="feed_forward",
        )

    def decoder(self, name: str) -> DecoderBlock:
        """A new block with attention to a memory besides, which is always full."""
        if self.options.attention == FULL:
            return DecoderBlock(**self._common(name), **self._of_heads(), **self._positions())
        common = self._common(name)
        return DecoderBlock(**common, **self._of_heads(), attention=self._attention(common))

    def _common(self, name: str) -> dict[str, Any]:
        residual = self.new_residual_initializer
        return {
            "intermediate_dim": self.intermediate_dim,
            "activation": self.activation,
            "dropout": self.dropout,
            "activation_dropout": self.options.activation_dropout,
            "pre_norm": self.pre_norm,
            "epsilon": self.epsilon,
            "normalization": self.options.normalization,
            "kernel_initializer": self.new_initializer(),
            "residual_initializer": None if residual is None else residual(),
            "dtype": self.dtype,
            "name": name,
        }

    def _of_heads(self) -> dict[str, Any]:
        heads = {"num_heads": self.num_heads, "attention_dropout": self.attention_dropout}
        return {**heads, **self.options.of_heads()}

    def _positions(self) -> dict[str, Any]:
        own = self.options.in_attention
        shared = self.shared_position
        return {"position": own(self.dtype) if shared is None else shared}

    def _attention(self, common: dict[str, Any]) -> ProjectedHeads:
        """Self-attention that is not full."""
        if self.hidden_dim % self.num_heads:
            raise ValueError(
                f"num_heads must divide hidden_dim = {self.hidden_dim}; received {self.num_heads}."
            )
        heads: dict[str, Any] = {
            "num_heads": self.num_heads,
            "key_dim": self.hidden_dim // self.num_heads,
            "kernel_initializer": common["kernel_initializer"],
            "output_kernel_initializer": common["residual_initializer"],
            "dtype": self.dtype,
            "name": "attention",
        }
        if self.options.attention == LOCAL:
            window = self.options.window or 0
            return LocalAttention(window=window, dropout=self.attention_dropout, **heads)
        if self.options.attention == LINEAR:
            return LinearAttention(**heads)
        return RandomFeatureAttention(**heads)

    def norm(self, name: str) -> LayerNormalization | RMSNormalization:
        """A normalization outside of the blocks."""
        kind = NORMALIZATIONS[self.options.normalization]
        return kind(epsilon=self.epsilon, dtype=self.dtype, name=name)

    def last_norm(self, name: str) -> keras.Layer:
        """The end of a stack: post-norm blocks end in a normalization, pre-norm ones need it."""
        if self.pre_norm:
            return self.norm(name)
        return keras.layers.Identity(dtype=self.dtype, name=name)

    def embedding(
        self,
        size: int,
        initializer: Any = None,
        name: str = "embedding",
        has_logits: bool = True,
        width: int | None = None,
    ) -> ReversibleEmbedding:
        """Embeddings of tokens, which also give the logits.

        Args:
            size: Number of tokens.
            initializer: Initializer of the matrix. Defaults to `new_initializer()`.
            name: Name of the layer.
            has_logits: Whether the logits may have a matrix of their own.
            width: Width of the embeddings. Defaults to that of the hidden states.
        """
        return ReversibleEmbedding(
            size,
            self.hidden_dim if width is None else width,
            tie_weights=self.options.tie_embeddings or not has_logits,
            embeddings_initializer=self.new_initializer() if initializer is None else initializer,
            dtype=self.dtype,
            name=name,
        )

    def positions(self, max_length: int, initializer: Any = None, name: str = "positions") -> Any:
        """Position embeddings that are added to those of tokens, or None without them.

        Args:
            max_length: Number of learned position embeddings.
            initializer: Initializer of learned ones. Defaults to `new_initializer()`.
            name: Name of the layer.
        """
        if self.options.position == SINUSOIDAL:
            return SinusoidalPositions(dtype=self.dtype, name=name)
        if not self.options.is_learned:
            return None
        initializer = self.new_initializer() if initializer is None else initializer
        return LearnedPositions(max_length, initializer, dtype=self.dtype, name=name)

    def bias(self, name: str = "logits_bias") -> Bias | None:
        """The bias of the logits, which are float32 under every policy, or None without one."""
        return Bias(dtype="float32", name=name) if self.options.use_bias else None


def add_positions(positions: Any, x: Any, start_index: Any = 0) -> Any:
    """Adds position embeddings, the first at `start_index`, to x (B, T, D), if there are any."""
    return x if positions is None else positions(x, start_index=start_index)


def add_bias(bias: Bias | None, logits: Any) -> Any:
    """Adds a bias to logits (..., V), if there is one."""
    return logits if bias is None else bias(logits)


def existing(*layers: Any) -> list[keras.Layer]:
    """The layers that there are, without None."""
    return [layer for layer in layers if layer is not None]
