"""The convolutional encoder-decoder."""

from collections.abc import Sequence
from typing import Any

import keras
from keras import ops

from keras_attn.attention.projection import Projection
from keras_attn.convolution.gated_conv1d import GatedConv1D
from keras_attn.dropout import Dropout
from keras_attn.position.learned import LearnedPositions
from keras_attn.position.sinusoidal import SinusoidalPositions
from zoo.models.arguments import FromTask, PositiveInt, Rate
from zoo.models.attending import CROSS
from zoo.models.attending_convolution import AttendingConvolution
from zoo.models.config import config_of
from zoo.models.scaled_gradient import ScaledGradient
from zoo.models.seq2seq import Seq2Seq, Tensors, check_shared_vocabulary, seq2seq_inputs

POSITIONS = ("learned", "sinusoidal")


@keras.saving.register_keras_serializable(package="keras_attn")
class ConvS2S(Seq2Seq):
    """A convolutional encoder and decoder, with attention in every layer of the decoder.

    Source: Gehring et al. 2017, section 3; gradient scaling: section 3.4.
    Formula: `e = E[x] + P`, `z = W_z ConvGLU_L(... ConvGLU_1(W e))`; decoder layer l:
    `h' = GLU(conv(h))`, `h'' = sqrt(1/2) (h' + attention(h', g, z, e))`,
    `h_next = sqrt(1/2) (h + h'')`; `logits = W_o W_y h_L + b`; without `scale_residual`, the
    factors sqrt(1/2) are 1

    The gradient of the encoder is divided by the number of attention layers. Unlike in the paper,
    weight normalization is applied only to the convolutions.

    Args:
        source_vocabulary_size: Number of source tokens.
        target_vocabulary_size: Number of target tokens V.
        embedding_dim: Width of the embeddings, and of the encoder's output.
        layers: [units, kernel_size], or [units, kernel_size, dilation_rate], for each layer of the
            encoder, and of the decoder.
        output_dim: Width of the features that the logits are computed from.
        dropout: Dropout rate of the embeddings, of the input of each convolution and before the
            logits.
        position: "learned" or "sinusoidal".
        max_sequence_length: Number of learned position embeddings: the maximum of S and T. There
            is no limit with sinusoidal positions.
        share_embeddings: Whether source and target share one embedding.
        scale_residual: Whether each sum of two tensors is scaled by sqrt(1/2), which keeps its
            variance.

    Inputs: `source_ids`, `source_mask` (B, S), `target_ids`, `target_mask` (B, T).
    Outputs: `logits` (B, T, V), float32.

    Raises:
        ValueError: If position is unknown, layers is not a list of two or three positive integers
            each, or share_embeddings is set for vocabularies of two sizes.

    Example:
        >>> model = ConvS2S(23, 29, embedding_dim=8, layers=[[16, 3], [16, 3]], output_dim=8)
        >>> model.output["logits"].shape
        (None, None, 29)
    """

    def __init__(
        self,
        source_vocabulary_size: FromTask[PositiveInt],
        target_vocabulary_size: FromTask[PositiveInt],
        embedding_dim: PositiveInt = 512,
        layers: Sequence[Sequence[int]] = ((512, 3),) * 20,
        output_dim: PositiveInt = 512,
        dropout: Rate = 0.1,
        position: str = "learned",
        max_sequence_length: PositiveInt = 1024,
        share_embeddings: bool = False,
        scale_residual: bool = True,
        dtype: Any = None,
        name: str = "conv_s2s",
        **kwargs: Any,
    ) -> None:
        self._config = config_of(ConvS2S, locals())
        # === Layers ===
        if position not in POSITIONS:
            raise ValueError(f"position must be one of {', '.join(POSITIONS)}; got {position!r}.")
        if share_embeddings:
            check_shared_vocabulary(source_vocabulary_size, target_vocabulary_size)
        sizes = _checked(layers)

        def embedding(size: int, name: str) -> keras.layers.Layer:
            initializer = keras.initializers.RandomNormal(stddev=0.1)
            return keras.layers.Embedding(size, embedding_dim, initializer, dtype=dtype, name=name)

        def positions(name: str) -> keras.layers.Layer:
            if position == "sinusoidal":
                return SinusoidalPositions(dtype=dtype, name=name)
            initializer = keras.initializers.RandomNormal(stddev=0.1)
            return LearnedPositions(max_sequence_length, initializer, dtype=dtype, name=name)

        def projection(size: int, name: str) -> Projection:
            return Projection((size,), dtype=dtype, name=name)

        source_embedding = embedding(source_vocabulary_size, "source_embedding")
        target_embedding = source_embedding
        if not share_embeddings:
            target_embedding = embedding(target_vocabulary_size, "target_embedding")
        source_positions, target_positions = positions("source_positions"), positions("positions")
        encoder = [
            GatedConv1D(
                units,
                kernel,
                dropout=dropout,
                dilation_rate=dilation,
                scale_residual=scale_residual,
                dtype=dtype,
                name=f"encoder_{i}",
            )
            for i, (units, kernel, dilation) in enumerate(sizes)
        ]
        decoder = [
            AttendingConvolution(
                units, kernel, dropout, dilation, scale_residual, dtype=dtype, name=f"decoder_{i}"
            )
            for i, (units, kernel, dilation) in enumerate(sizes)
        ]
        first = sizes[0][0]

        self.hidden_dim = embedding_dim
        self.max_sequence_length = max_sequence_length if position == "learned" else None
        self.source_embedding, self.target_embedding = source_embedding, target_embedding
        self.source_positions, self.target_positions = source_positions, target_positions
        self.drop = Dropout(dropout, dtype=dtype, name="dropout")
        self.encoder, self.decoder = encoder, decoder
        self.encoder_entry = projection(first, "encoder_entry")
        self.encoder_exit = projection(embedding_dim, "encoder_exit")
        self.decoder_entry = projection(first, "decoder_entry")
        self.decoder_exit = projection(output_dim, "decoder_exit")
        self.share_gradient = ScaledGradient(1 / len(sizes), dtype=dtype, name="share_gradient")
        # Logits are float32 under every policy, like the loss.
        self.head = keras.layers.Dense(target_vocabulary_size, dtype="float32", name="logits")

        # === Functional model ===
        inputs = seq2seq_inputs()
        y, _ = self._decode(inputs, self.encode(inputs))
        super().__init__(inputs=inputs, outputs={"logits": self._logits(y)}, name=name, **kwargs)

    def encode(self, inputs: Tensors) -> Tensors:
        embedded = self.source_embedding(inputs["source_ids"])
        embedded = self.drop(self.source_positions(embedded))
        x = self.encoder_entry(embedded)
        for layer in self.encoder:
            x = layer(x, mask=inputs["source_mask"])
        sequence = self.share_gradient(self.encoder_exit(x))
        return {"sequence": sequence, "embedded": embedded, "mask": inputs["source_mask"]}

    def _decode(self, inputs: Tensors, memory: Tensors) -> tuple[Any, list[Any]]:
        embedded = self.target_embedding(inputs["target_ids"])
        embedded = self.drop(self.target_positions(embedded))
        y, maps = self.decoder_entry(embedded), []
        for layer in self.decoder:
            y, weights = layer(
                y,
                embedded,
                memory["sequence"],
                memory["embedded"],
                mask=inputs["target_mask"],
                memory_mask=memory["mask"],
            )
            maps.append(weights)
        return y, maps

    def _logits(self, y: Any) -> Any:
        return self.head(self.drop(self.decoder_exit(y)))

    def initial_state(self, memory: Tensors, max_length: int) -> Tensors:
        del max_length  # the state of a convolution has a fixed size
        batch_size = ops.shape(memory["sequence"])[0]
        return {
            "memory": memory,
            "cache": [layer.initial_state(batch_size) for layer in self.decoder],
            "index": ops.convert_to_tensor(0, "int32"),
        }

    def step(self, tokens: Any, state: Tensors) -> tuple[Any, Tensors]:
        memory, index = state["memory"], state["index"]
        embedded = self.target_embedding(ops.expand_dims(tokens, 1))
        embedded = self.target_positions(embedded, start_index=index)
        y, cache = self.decoder_entry(embedded), []
        for layer, old in zip(self.decoder, state["cache"], strict=True):
            y, new = layer.step(y, embedded, memory, old)
            cache.append(new)
        logits = self._logits(ops.squeeze(y, 1))
        return logits, {"memory": memory, "cache": cache, "index": index + 1}

    @property
    def attention_layers(self) -> dict[str, int]:
        return {CROSS: len(self.decoder)}

    def attention_maps(self, inputs: Tensors) -> dict[str, list[Any]]:
        _, maps = self._decode(inputs, self.encode(inputs))
        return {CROSS: [ops.expand_dims(weights, 1) for weights in maps]}


def _checked(layers: Any) -> list[tuple[int, int, int]]:
    """Units, kernel size and dilation rate of each layer."""
    wanted = "layers must be a list of [units, kernel_size] or [units, kernel_size, dilation_rate]"
    wanted = f"{wanted}, positive integers; received "
    if not isinstance(layers, (list, tuple)) or not layers:
        raise ValueError(f"{wanted}{layers!r}.")
    for sizes in layers:
        known = isinstance(sizes, (list, tuple)) and len(sizes) in (2, 3)
        if not known or any(type(size) is not int or size < 1 for size in sizes):
            raise ValueError(f"{wanted}{sizes!r} in it.")
    return [(sizes[0], sizes[1], sizes[2] if len(sizes) == 3 else 1) for sizes in layers]
