"""BART: the encoder-decoder that is pre-trained as a denoising autoencoder."""

from typing import Any

import keras

from keras_attn.blocks.decoder import DecoderBlock
from keras_attn.blocks.encoder import EncoderBlock
from keras_attn.dropout import Dropout
from keras_attn.position.learned import LearnedPositions
from zoo.models.arguments import FromTask, PositiveInt, Rate
from zoo.models.bias import Bias
from zoo.models.config import config_of
from zoo.models.reversible_embedding import ReversibleEmbedding
from zoo.models.seq2seq import seq2seq_inputs
from zoo.models.sublayers import FULL, Sublayers
from zoo.models.transformer_seq2seq import TransformerSeq2Seq

EPSILON = 1e-5  # of the published checkpoints


@keras.saving.register_keras_serializable(package="keras_attn")
class Bart(TransformerSeq2Seq):
    """A Transformer encoder-decoder with shared embeddings and learned positions.

    Source: Lewis et al. 2020, section 2.1; layer normalizations, biases and initial weights as in
    the published checkpoints.
    Formula: `x_0 = LN(E[ids] + P)`, N encoder blocks with layer normalization after the residual
    connections;
    `y_0 = LN(E[ids] + Q)`, N decoder blocks over x_N; `logits = y_N E^T + b`

    Args:
        vocabulary_size: Number of tokens V, of source and target.
        num_layers: Number of encoder blocks N.
        num_decoder_layers: Number of decoder blocks. Defaults to N.
        hidden_dim: Width D of the hidden states.
        num_heads: Number of attention heads H.
        intermediate_dim: Width between the two layers of each feed-forward network.
        activation: "relu", "gelu", "gelu_tanh", "glu", "swiglu", "geglu" or "geglu_tanh".
        dropout: Dropout rate of the embeddings and of each sublayer's output.
        attention_dropout: Dropout rate of the attention weights.
        max_sequence_length: Number of position embeddings: the maximum of S and T.
        attention: Self-attention of the blocks, other than that from target to source:
            "full", "local", "linear" or "random_feature" (see `zoo.models.sublayers.Sublayers`).
        window: Maximum distance that "local" attention bridges in each block.
        normalization: "layer" or "rms" normalization.
        num_key_value_heads: Number of heads of keys and values, which groups of the H heads share
            (grouped-query attention; 1: multi-query attention). Defaults to H; only with "full".

    Inputs: `source_ids`, `source_mask` (B, S), `target_ids`, `target_mask` (B, T).
    Outputs: `logits` (B, T, V), float32.

    Raises:
        ValueError: If attention or normalization is unknown, or window is not given with "local"
            attention, or is given with another.

    Example:
        >>> model = Bart(23, num_layers=1, hidden_dim=8, num_heads=2, intermediate_dim=16)
        >>> sorted(model.input), model.output["logits"].shape
        (['source_ids', 'source_mask', 'target_ids', 'target_mask'], (None, None, 23))
    """

    def __init__(
        self,
        vocabulary_size: FromTask[PositiveInt],
        num_layers: PositiveInt = 6,
        num_decoder_layers: PositiveInt | None = None,
        hidden_dim: PositiveInt = 768,
        num_heads: PositiveInt = 12,
        intermediate_dim: PositiveInt = 3072,
        activation: str = "gelu",
        dropout: Rate = 0.1,
        attention_dropout: Rate = 0.1,
        max_sequence_length: PositiveInt = 1024,
        attention: str = FULL,
        window: PositiveInt | None = None,
        normalization: str = "layer",
        num_key_value_heads: PositiveInt | None = None,
        dtype: Any = None,
        name: str = "bart",
        **kwargs: Any,
    ) -> None:
        self._config = config_of(Bart, locals())
        # === Layers ===
        self.sublayers = Sublayers(attention, window, normalization, num_key_value_heads)

        def normal() -> keras.initializers.Initializer:
            return keras.initializers.RandomNormal(stddev=0.02)  # as of the published checkpoints

        def positions(name: str) -> keras.layers.Layer:
            return LearnedPositions(max_sequence_length, normal(), dtype=dtype, name=name)

        def norm(name: str) -> keras.layers.Layer:
            return self.sublayers.norm(EPSILON, dtype, name)

        self.hidden_dim, self.max_sequence_length = hidden_dim, max_sequence_length
        self.embedding = ReversibleEmbedding(
            vocabulary_size,
            hidden_dim,
            embeddings_initializer=normal(),
            dtype=dtype,
            name="embedding",
        )
        self.source_positions = positions("source_positions")
        self.target_positions = positions("target_positions")
        self.source_norm, self.target_norm = norm("source_norm"), norm("target_norm")
        self.drop = Dropout(dropout, dtype=dtype, name="embedding_dropout")

        def of_block(name: str, is_decoder: bool = False) -> dict[str, Any]:
            return self.sublayers.block_options(
                hidden_dim,
                num_heads,
                attention_dropout,
                kernel_initializer=normal(),
                dtype=dtype,
                is_decoder=is_decoder,
                intermediate_dim=intermediate_dim,
                activation=activation,
                dropout=dropout,
                epsilon=EPSILON,
                name=name,
            )

        self.encoder = [EncoderBlock(**of_block(f"encoder_{i}")) for i in range(num_layers)]
        self.decoder = [
            DecoderBlock(**of_block(f"decoder_{i}", is_decoder=True))
            for i in range(num_decoder_layers or num_layers)
        ]
        self.bias = Bias(dtype="float32", name="logits_bias")

        # === Functional model ===
        inputs = seq2seq_inputs()
        super().__init__(inputs=inputs, outputs=self.whole_pass(inputs), name=name, **kwargs)

    @property
    def layer_groups(self) -> list[list[keras.layers.Layer]]:
        """The layers from the input up: the embeddings, then one group per block.

        `freeze` counts these groups, and `layer_decay` lowers the learning rate from one to the
        next.
        """
        positions = [self.source_positions, self.target_positions]
        embeddings = [self.embedding, *positions, self.source_norm, self.target_norm]
        return [embeddings, *([block] for block in [*self.encoder, *self.decoder])]

    @property
    def attention_layers(self) -> dict[str, int]:
        return super().attention_layers if self.sublayers.has_maps else {}

    def embed_source(self, ids: Any) -> Any:
        return self.drop(self.source_norm(self.source_positions(self.embedding(ids))))

    def embed_target(self, ids: Any, start_index: Any = 0) -> Any:
        x = self.target_positions(self.embedding(ids), start_index=start_index)
        return self.drop(self.target_norm(x))

    def logits_of(self, y: Any) -> Any:
        return self.bias(self.embedding(y, reverse=True))

    def get_config(self) -> dict[str, Any]:
        return {**self._config, "name": self.name}
