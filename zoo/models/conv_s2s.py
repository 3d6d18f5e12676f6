"""The convolutional encoder-decoder."""

from collections.abc import Sequence
from typing import Any

import keras
from keras import ops

from keras_attn.attention.multi_step import MultiStepAttention
from keras_attn.attention.projection import Projection
from keras_attn.convolution.gated_conv1d import GatedConv1D
from keras_attn.position.learned import LearnedPositions
from keras_attn.position.sinusoidal import SinusoidalPositions
from zoo.models.seq2seq import Seq2Seq, Tensors, check_shared_vocabulary, seq2seq_inputs

POSITIONS = ("learned", "sinusoidal")


@keras.saving.register_keras_serializable(package="keras_attn")
class ConvS2S(Seq2Seq):
    """Gated convolutions that read the source, and gated convolutions that write the target, every
    layer of which attends to what was read.

    Source: Gehring et al. 2017, section 3; the gradient's scale: section 3.4.
    Formula: `e = E[x] + P`, `z = W_z ConvGLU_L(... ConvGLU_1(W e))`; decoder layer l:
    `h' = GLU(conv(h))`, `h'' = sqrt(1/2) (h' + attention(h', g, z, e))`,
    `h_next = sqrt(1/2) (h + h'')`; `logits = W_o W_y h_L + b`

    The gradient that reaches the encoder is divided by the number of layers that attend. Of the
    paper's weight normalization the convolutions have it; matrices are as they are.

    Args:
        source_vocabulary_size: Number of source tokens.
        target_vocabulary_size: Number of target tokens V.
        width: Width of the embeddings, and of the encoder's output.
        layers: [units, kernel_size] of each convolution, of the encoder and of the decoder alike.
        output_width: Width of what the logits are made from.
        dropout: Share that training drops of embeddings, of each convolution's input and before
            the logits.
        position: "learned" or "sinusoidal".
        max_length: Number of positions there are to learn.
        share_embeddings: One embedding for source and target.

    Inputs: `source_ids`, `source_mask` (B, S), `target_ids`, `target_mask` (B, T).
    Outputs: `logits` (B, T, V), float32.

    Raises:
        ValueError: If position is unknown, layers is not a list of pairs of positive integers, or
            embeddings are to be shared between two sizes.

    Example:
        >>> model = ConvS2S(23, 29, width=8, layers=[[16, 3], [16, 3]], output_width=8)
        >>> model.output["logits"].shape
        (None, None, 29)
    """

    def __init__(
        self,
        source_vocabulary_size: int,
        target_vocabulary_size: int,
        width: int = 512,
        layers: Sequence[Sequence[int]] = ((512, 3),) * 20,
        output_width: int = 512,
        dropout: float = 0.1,
        position: str = "learned",
        max_length: int = 1024,
        share_embeddings: bool = False,
        dtype: Any = None,
        name: str = "conv_s2s",
        **kwargs: Any,
    ) -> None:
        # === Layers ===
        if position not in POSITIONS:
            raise ValueError(f"position must be one of {', '.join(POSITIONS)}; got {position!r}.")
        if share_embeddings:
            check_shared_vocabulary(source_vocabulary_size, target_vocabulary_size)
        sizes = _checked(layers)

        def embedding(size: int, name: str) -> keras.layers.Layer:
            initializer = keras.initializers.RandomNormal(stddev=0.1)
            return keras.layers.Embedding(size, width, initializer, dtype=dtype, name=name)

        def positions(name: str) -> keras.layers.Layer:
            if position == "sinusoidal":
                return SinusoidalPositions(dtype=dtype, name=name)
            initializer = keras.initializers.RandomNormal(stddev=0.1)
            return LearnedPositions(max_length, initializer, dtype=dtype, name=name)

        def projection(size: int, name: str) -> Projection:
            return Projection((size,), dtype=dtype, name=name)

        source_embedding = embedding(source_vocabulary_size, "source_embedding")
        target_embedding = source_embedding
        if not share_embeddings:
            target_embedding = embedding(target_vocabulary_size, "target_embedding")
        source_positions, target_positions = positions("source_positions"), positions("positions")
        encoder = [
            GatedConv1D(units, kernel, dropout=dropout, dtype=dtype, name=f"encoder_{i}")
            for i, (units, kernel) in enumerate(sizes)
        ]
        decoder = [
            AttendingConvolution(units, kernel, dropout, dtype=dtype, name=f"decoder_{i}")
            for i, (units, kernel) in enumerate(sizes)
        ]
        first = sizes[0][0]

        self.state_width = width
        self.source_embedding, self.target_embedding = source_embedding, target_embedding
        self.source_positions, self.target_positions = source_positions, target_positions
        self.drop = keras.layers.Dropout(dropout, dtype=dtype, name="dropout")
        self.encoder, self.decoder = encoder, decoder
        self.encoder_entry = projection(first, "encoder_entry")
        self.encoder_exit = projection(width, "encoder_exit")
        self.decoder_entry = projection(first, "decoder_entry")
        self.decoder_exit = projection(output_width, "decoder_exit")
        self.share_gradient = ScaledGradient(1 / len(sizes), dtype=dtype, name="share_gradient")
        # Logits are float32 under every policy, as the loss is.
        self.head = keras.layers.Dense(target_vocabulary_size, dtype="float32", name="logits")

        # === Config ===
        self._config = {
            "source_vocabulary_size": source_vocabulary_size,
            "target_vocabulary_size": target_vocabulary_size,
            "width": width,
            "layers": sizes,
            "output_width": output_width,
            "dropout": dropout,
            "position": position,
            "max_length": max_length,
            "share_embeddings": share_embeddings,
            "dtype": dtype if dtype is None else keras.dtype_policies.get(dtype).name,
        }

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

    def _decode(self, inputs: Tensors, memory: Tensors) -> tuple[Any, Tensors]:
        embedded = self.target_embedding(inputs["target_ids"])
        embedded = self.drop(self.target_positions(embedded))
        y, maps = self.decoder_entry(embedded), {}
        for layer in self.decoder:
            y, maps[layer.name] = layer(
                y,
                embedded,
                memory["sequence"],
                memory["embedded"],
                mask=inputs["target_mask"],
                memory_mask=memory["mask"],
            )
        return y, maps

    def _logits(self, y: Any) -> Any:
        return self.head(self.drop(self.decoder_exit(y)))

    def initial_state(self, memory: Tensors, max_length: int) -> Tensors:
        del max_length  # a convolution looks back a fixed number of steps
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

    def attention_maps(self, inputs: Tensors) -> Tensors:
        _, maps = self._decode(inputs, self.encode(inputs))
        return {name: ops.expand_dims(weights, 1) for name, weights in maps.items()}

    def get_config(self) -> dict[str, Any]:
        return {**self._config, "name": self.name}


@keras.saving.register_keras_serializable(package="keras_attn")
class AttendingConvolution(keras.layers.Layer):
    """A layer of the decoder: a causal gated convolution, multi-step attention, a residual.

    Source: Gehring et al. 2017, sections 3.3 and 3.4.
    Formula: that of `ConvS2S`; where widths differ, h is projected before the last sum

    Args:
        units: Width F of the output.
        kernel_size: Number of positions that each output sees.
        dropout: Share of the convolution's input that training drops.

    Inputs: `x` (B, T, D), `embedded` g (B, T, E), `memory` z and `memory_embedded` e (B, S, E);
        `mask` (B, T) and `memory_mask` (B, S), True takes part.
    Outputs: (B, T, F) and the attention weights (B, T, S).

    Example:
        >>> layer, source = AttendingConvolution(11, kernel_size=3), ops.ones((2, 7, 4))
        >>> output, weights = layer(ops.ones((2, 5, 8)), ops.ones((2, 5, 4)), source, source)
        >>> tuple(output.shape), tuple(weights.shape)
        ((2, 5, 11), (2, 5, 7))
    """

    def __init__(self, units: int, kernel_size: int, dropout: float = 0.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.units = units
        policy = self.dtype_policy
        self.convolution = GatedConv1D(
            units, kernel_size, "causal", residual=False, dropout=dropout, dtype=policy, name="conv"
        )
        self.attention = MultiStepAttention(scale=True, dtype=policy, name="attention")
        self.projection: Projection | None = None
        self.supports_masking = True

    def build(
        self,
        x_shape: tuple,
        embedded_shape: tuple,
        memory_shape: tuple,
        memory_embedded_shape: tuple,
    ) -> None:
        output_shape = (*x_shape[:-1], self.units)
        self.convolution.build(x_shape)
        self.attention.build(output_shape, embedded_shape, memory_shape, memory_embedded_shape)
        if x_shape[-1] != self.units:
            policy = self.dtype_policy
            self.projection = Projection((self.units,), dtype=policy, name="projection")
            self.projection.build(x_shape)

    def call(
        self,
        x: Any,
        embedded: Any,
        memory: Any,
        memory_embedded: Any,
        mask: Any = None,
        memory_mask: Any = None,
        training: bool | None = None,
    ) -> tuple[Any, Any]:
        convolved = self.convolution(x, mask=mask, training=training)
        return self._attend(x, convolved, embedded, memory, memory_embedded, memory_mask)

    def _attend(self, x, convolved, embedded, memory, memory_embedded, memory_mask) -> tuple:
        seen, weights = self.attention(
            convolved,
            embedded,
            memory,
            memory_embedded,
            memory_mask=memory_mask,
            return_attention_scores=True,
        )
        x = x if self.projection is None else self.projection(x)
        return _half_sum(x, _half_sum(convolved, seen)), weights

    def initial_state(self, batch_size: Any) -> Any:
        """The state before the first step, as `GatedConv1D` has it."""
        return self.convolution.initial_state(batch_size)

    def step(self, x: Any, embedded: Any, memory: Tensors, state: Any) -> tuple[Any, Any]:
        """One position (B, 1, D) to its output (B, 1, F) and the new state.

        Args:
            x: The layer's input at this position.
            embedded: The embedding of the token there, (B, 1, E).
            memory: What `ConvS2S.encode` gave.
            state: What `initial_state` or the step before gave.
        """
        convolved, state = self.convolution.step(x, state)
        source = memory["sequence"], memory["embedded"], memory["mask"]
        return self._attend(x, convolved, embedded, *source)[0], state

    def compute_output_spec(
        self, x: Any, embedded: Any, memory: Any, *args: Any, **kwargs: Any
    ) -> tuple[Any, Any]:
        return (
            keras.KerasTensor((*x.shape[:-1], self.units), self.compute_dtype),
            keras.KerasTensor((*x.shape[:-1], memory.shape[1]), self.compute_dtype),
        )

    def get_config(self) -> dict[str, Any]:
        config = {
            "units": self.units,
            "kernel_size": self.convolution.kernel_size,
            "dropout": self.convolution.dropout,
        }
        return {**super().get_config(), **config}


@keras.saving.register_keras_serializable(package="keras_attn")
class ScaledGradient(keras.layers.Layer):
    """Passes its input on, and in training the gradient times a factor back.

    Source: Gehring et al. 2017, section 3.4.
    Formula: `y = x`, `dL/dx = factor dL/dy`

    Args:
        factor: What the gradient is multiplied by.

    Inputs: `x` of any shape.
    Outputs: The same.

    Example:
        >>> ScaledGradient(0.5)(ops.ones((2, 3))).shape[1]
        3
    """

    def __init__(self, factor: float, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.factor = factor
        self.supports_masking = True

    def call(self, x: Any, training: bool | None = None) -> Any:
        if not training:
            return x
        return x * self.factor + ops.stop_gradient(x * (1 - self.factor))

    def compute_output_shape(self, x_shape: tuple) -> tuple:
        return x_shape

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "factor": self.factor}


def _half_sum(x: Any, y: Any) -> Any:
    """A sum whose variance is that of its parts."""
    return (x + y) * 0.5**0.5


def _checked(layers: Any) -> list[list[int]]:
    """The layers as lists of two sizes."""
    wanted = "layers must be a list of [units, kernel_size], positive integers; received "
    if not isinstance(layers, (list, tuple)) or not layers:
        raise ValueError(f"{wanted}{layers!r}.")
    for pair in layers:
        is_pair = isinstance(pair, (list, tuple)) and len(pair) == 2
        if not is_pair or any(type(size) is not int or size < 1 for size in pair):
            raise ValueError(f"{wanted}{pair!r} in it.")
    return [list(pair) for pair in layers]
