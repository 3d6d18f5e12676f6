"""The encoders of a series model: recurrent, convolutional or attentive, by name."""

from typing import Any

import keras

from keras_attn.blocks.encoder import EncoderBlock
from keras_attn.blocks.normalization import LayerNormalization
from keras_attn.convolution.gated_conv1d import GatedConv1D
from keras_attn.dropout import Dropout
from keras_attn.position.sinusoidal import SinusoidalPositions
from zoo.models.attending import ENCODER, read_blocks
from zoo.models.cells import recurrent_layer

RNN, CONV, ATTENTION = ENCODERS = ("rnn", "conv", "attention")


class SeriesEncoder:
    """The layers that read the steps of a series.

    Args:
        encoder: "rnn", "conv" (causal gated convolutions) or "attention" (Transformer blocks).
        hidden_dim: Width D of each layer.
        num_layers: Number of layers.
        cell: Cell of the recurrent layers.
        kernel_size: Number of steps in the window of a convolution.
        num_heads: Number of attention heads.
        dropout: Dropout rate of the input of each recurrent layer and convolution, or of the
            output of each sublayer of a block.
        dtype: Dtype policy of the layers.
        causal: Whether no step of recurrent layers and convolutions reads later ones.

    Raises:
        ValueError: If the name of the encoder or of the cell is unknown, or `num_heads` does not
            divide `hidden_dim`.
    """

    def __init__(
        self,
        encoder: str,
        hidden_dim: int,
        num_layers: int,
        cell: str,
        kernel_size: int,
        num_heads: int,
        dropout: float,
        dtype: Any,
        causal: bool = True,
    ) -> None:
        if encoder not in ENCODERS:
            raise ValueError(f"encoder must be one of {', '.join(ENCODERS)}; received {encoder!r}.")
        self.encoder = encoder
        self.input = keras.layers.Dense(hidden_dim, dtype=dtype, name="input_projection")
        self.drop = Dropout(dropout, dtype=dtype, name="dropout")

        def one_way(name: str) -> Any:
            return recurrent_layer(cell, hidden_dim, dtype, name=name)

        def both_ways(name: str) -> Any:
            return keras.layers.Bidirectional(one_way("forward"), dtype=dtype, name=name)

        make: Any = {
            RNN: lambda name: one_way(name) if causal else both_ways(name),
            CONV: lambda name: GatedConv1D(
                hidden_dim,
                kernel_size,
                padding="causal" if causal else "same",
                dropout=dropout,
                dtype=dtype,
                name=name,
            ),
            ATTENTION: lambda name: EncoderBlock(
                num_heads, 2 * hidden_dim, dropout=dropout, pre_norm=True, dtype=dtype, name=name
            ),
        }[encoder]
        self.layers = [make(f"layer_{i}") for i in range(num_layers)]
        if encoder == ATTENTION:
            self.positions = SinusoidalPositions(dtype=dtype, name="positions")
            self.norm = LayerNormalization(dtype=dtype, name="norm")

    @property
    def attention_layers(self) -> dict[str, int]:
        """The number of layers with attention weights; empty without attention."""
        return {ENCODER: len(self.layers)} if self.encoder == ATTENTION else {}

    @property
    def layer_groups(self) -> list[list[keras.layers.Layer]]:
        """The layers from the input up: the projection, then one group for each encoder layer."""
        return [[self.input], *([layer] for layer in self.layers)]

    def steps(self, x: Any, with_maps: bool = False) -> tuple[Any, list[Any]]:
        """Reads a series.

        Args:
            x: The features of each step, (B, T, F).
            with_maps: Whether to return attention weights.

        Outputs: The output of each step (B, T, W), where W is D, or 2 D of recurrent layers that
            are not causal; and with `with_maps` the attention weights (B, H, T, T) of each layer.
        """
        maps: list[Any] = []
        x = self.input(x)
        if self.encoder == ATTENTION:
            x, maps = read_blocks(self.layers, self.positions(x), with_maps)
            x = self.norm(x)
        else:
            for layer in self.layers:
                x = layer(self.drop(x) if self.encoder == RNN else x)
        return x, maps
