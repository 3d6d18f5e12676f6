"""The Transformer encoder-decoder."""

from typing import Any

import keras

from keras_attn.blocks.decoder import DecoderBlock
from keras_attn.blocks.encoder import EncoderBlock
from keras_attn.blocks.residual import EPSILON
from keras_attn.dropout import Dropout
from keras_attn.position.learned import LearnedPositions
from keras_attn.position.relative import ShawPositions
from keras_attn.position.sinusoidal import SinusoidalPositions
from zoo.models.arguments import FromTask, PositiveInt, Rate
from zoo.models.config import config_of
from zoo.models.reversible_embedding import ReversibleEmbedding
from zoo.models.seq2seq import check_shared_vocabulary, seq2seq_inputs
from zoo.models.sublayers import FULL, Sublayers
from zoo.models.transformer_seq2seq import TransformerSeq2Seq

# Positions that are added to the embeddings, and positions inside self-attention.
ADDED = ("sinusoidal", "learned")
IN_ATTENTION = ("rotary", "alibi", "shaw")
SHAW_DISTANCE = 16  # Shaw et al. 2018, section 4.1


@keras.saving.register_keras_serializable(package="keras_attn")
class Transformer(TransformerSeq2Seq):
    """The encoder-decoder of "Attention Is All You Need", with a choice of positions.

    Source: Vaswani et al. 2017, section 3 and table 3; positions: Gehring et al. 2017 (learned),
    Su et al. 2021 (rotary), Press et al. 2021 (alibi), Shaw et al. 2018.
    Formula: `x_0 = sqrt(D) E[ids] + positions`, N encoder blocks; the decoder likewise, over the
    encoder's output; `logits = y_N E^T`

    Args:
        source_vocabulary_size: Number of source tokens.
        target_vocabulary_size: Number of target tokens V.
        num_layers: Number of blocks N, in the encoder and in the decoder.
        hidden_dim: Width D of the hidden states.
        num_heads: Number of attention heads H.
        intermediate_dim: Width between the two layers of each feed-forward network.
        activation: "relu", "gelu", "gelu_tanh", "glu", "swiglu", "geglu" or "geglu_tanh".
        dropout: Dropout rate of the embeddings and of each sublayer's output.
        attention_dropout: Dropout rate of the attention weights.
        pre_norm: Layer normalization before each sublayer, instead of after each residual
            connection.
        position: "sinusoidal" or "learned" position embeddings, or "rotary", "alibi" or "shaw" in
            self-attention.
        max_sequence_length: Number of learned position embeddings: the maximum of S and T. There
            is no limit with other positions.
        share_embeddings: Whether source, target and logits share one embedding. If False, only
            target and logits do.
        attention: Self-attention of the blocks, other than that from target to source:
            "full", "local", "linear" or "random_feature" (see `zoo.models.sublayers.Sublayers`).
        window: Maximum distance that "local" attention bridges in each block.
        normalization: "layer" or "rms" normalization.
        num_key_value_heads: Number of heads of keys and values, which groups of the H heads share
            (grouped-query attention; 1: multi-query attention). Defaults to H; only with "full".

    Inputs: `source_ids`, `source_mask` (B, S), `target_ids`, `target_mask` (B, T).
    Outputs: `logits` (B, T, V), float32.

    Raises:
        ValueError: If position, attention or normalization is unknown, share_embeddings is set for
            vocabularies of two sizes, window is not given with "local" attention, or a position in
            self-attention is given with another attention than "full".

    Example:
        >>> model = Transformer(23, 23, num_layers=1, hidden_dim=8, num_heads=2, intermediate_dim=9)
        >>> sorted(model.input), model.output["logits"].shape
        (['source_ids', 'source_mask', 'target_ids', 'target_mask'], (None, None, 23))
    """

    def __init__(
        self,
        source_vocabulary_size: FromTask[PositiveInt],
        target_vocabulary_size: FromTask[PositiveInt],
        num_layers: PositiveInt = 6,
        hidden_dim: PositiveInt = 512,
        num_heads: PositiveInt = 8,
        intermediate_dim: PositiveInt = 2048,
        activation: str = "relu",
        dropout: Rate = 0.1,
        attention_dropout: Rate = 0.0,
        pre_norm: bool = False,
        position: str = "sinusoidal",
        max_sequence_length: PositiveInt = 512,
        share_embeddings: bool = True,
        attention: str = FULL,
        window: PositiveInt | None = None,
        normalization: str = "layer",
        num_key_value_heads: PositiveInt | None = None,
        dtype: Any = None,
        name: str = "transformer",
        **kwargs: Any,
    ) -> None:
        self._config = config_of(Transformer, locals())
        # === Layers ===
        if position not in ADDED + IN_ATTENTION:
            choices = ", ".join(ADDED + IN_ATTENTION)
            raise ValueError(f"position must be one of {choices}; received {position!r}.")

        def embedding(size: int, name: str) -> keras.layers.Layer:
            return ReversibleEmbedding(
                size,
                hidden_dim,
                embeddings_initializer=keras.initializers.RandomNormal(stddev=hidden_dim**-0.5),
                dtype=dtype,
                name=name,
            )

        block: dict[str, Any] = {
            "num_heads": num_heads,
            "intermediate_dim": intermediate_dim,
            "activation": activation,
            "dropout": dropout,
            "attention_dropout": attention_dropout,
            "pre_norm": pre_norm,
            "dtype": dtype,
        }

        def of_block(is_decoder: bool = False) -> dict[str, Any]:
            """The arguments of a block; each has relative position embeddings of its own."""
            in_heads: Any = position if position in IN_ATTENTION else None
            if position == "shaw":
                in_heads = ShawPositions(SHAW_DISTANCE, dtype=dtype)
            options = {**block, "position": in_heads, "is_decoder": is_decoder}
            return sublayers.block_options(hidden_dim, **options)

        sublayers = Sublayers(attention, window, normalization, num_key_value_heads)

        target_embedding = embedding(target_vocabulary_size, "target_embedding")
        source_embedding = target_embedding
        if share_embeddings:
            check_shared_vocabulary(source_vocabulary_size, target_vocabulary_size)
        else:
            source_embedding = embedding(source_vocabulary_size, "source_embedding")
        positions = None
        if position == "sinusoidal":
            positions = SinusoidalPositions(dtype=dtype, name="positions")
        elif position == "learned":
            positions = LearnedPositions(max_sequence_length, dtype=dtype, name="positions")
        drop = Dropout(dropout, dtype=dtype, name="embedding_dropout")
        encoder = [EncoderBlock(**of_block(), name=f"encoder_{i}") for i in range(num_layers)]
        decoder = [
            DecoderBlock(**of_block(is_decoder=True), name=f"decoder_{i}")
            for i in range(num_layers)
        ]
        # Post-norm blocks end in a layer normalization; a pre-norm stack needs one more.
        norms = [
            sublayers.norm(EPSILON, dtype, f"{side}_norm")
            if pre_norm
            else keras.layers.Identity(dtype=dtype, name=f"{side}_norm")
            for side in ("encoder", "decoder")
        ]

        self.hidden_dim, self.sublayers = hidden_dim, sublayers
        self.max_sequence_length = max_sequence_length if position == "learned" else None
        self.source_embedding, self.target_embedding = source_embedding, target_embedding
        self.positions, self.drop = positions, drop
        self.encoder, self.decoder = encoder, decoder
        self.encoder_norm, self.decoder_norm = norms

        # === Functional model ===
        inputs = seq2seq_inputs()
        super().__init__(inputs=inputs, outputs=self.whole_pass(inputs), name=name, **kwargs)

    @property
    def attention_layers(self) -> dict[str, int]:
        return super().attention_layers if self.sublayers.has_maps else {}

    def _embed(self, embedding: keras.layers.Layer, ids: Any, start_index: Any = 0) -> Any:
        x = embedding(ids) * self.hidden_dim**0.5
        if self.positions is not None:
            x = self.positions(x, start_index=start_index)
        return self.drop(x)

    def embed_source(self, ids: Any) -> Any:
        return self._embed(self.source_embedding, ids)

    def embed_target(self, ids: Any, start_index: Any = 0) -> Any:
        return self._embed(self.target_embedding, ids, start_index)

    def end_encoder(self, x: Any) -> Any:
        return self.encoder_norm(x)

    def logits_of(self, y: Any) -> Any:
        return self.target_embedding(self.decoder_norm(y), reverse=True)

    def get_config(self) -> dict[str, Any]:
        return {**self._config, "name": self.name}
