"""BART: the encoder-decoder that is pre-trained as a denoising autoencoder."""

from typing import Any

import keras

from keras_attn.dropout import Dropout
from zoo.models.arguments import FromTask, PositiveInt, Rate
from zoo.models.config import config_of
from zoo.models.seq2seq import seq2seq_inputs
from zoo.models.transformer_blocks import TransformerBlocks, add_bias, add_positions, existing
from zoo.models.transformer_options import TransformerOptions
from zoo.models.transformer_seq2seq import TransformerSeq2Seq

EPSILON = 1e-5  # of the published checkpoints
OPTIONS = TransformerOptions(use_bias=True)


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
        max_sequence_length: Number of learned position embeddings: the maximum of S and T. There
            is no limit with other positions.
        options: Attention, positions, normalization and output; see `TransformerOptions`.

    Inputs: `source_ids`, `source_mask` (B, S), `target_ids`, `target_mask` (B, T).
    Outputs: `logits` (B, T, V), float32.

    Raises:
        ValueError: If num_heads does not divide hidden_dim.

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
        options: TransformerOptions = OPTIONS,
        dtype: Any = None,
        name: str = "bart",
        **kwargs: Any,
    ) -> None:
        self._config = config_of(Bart, locals())
        # === Layers ===
        new = TransformerBlocks(
            options=options,
            hidden_dim=hidden_dim,
            num_heads=num_heads,
            intermediate_dim=intermediate_dim,
            activation=activation,
            dropout=dropout,
            attention_dropout=attention_dropout,
            epsilon=EPSILON,
            new_initializer=normal,
            dtype=dtype,
        )
        self.hidden_dim, self.options = hidden_dim, options
        self.head_diversity = options.penalty()
        self.max_sequence_length = max_sequence_length if options.is_learned else None
        self.embedding = new.embedding(vocabulary_size)
        self.source_positions = new.positions(max_sequence_length, name="source_positions")
        self.target_positions = new.positions(max_sequence_length, name="target_positions")
        self.source_norm, self.target_norm = new.norm("source_norm"), new.norm("target_norm")
        self.drop = Dropout(dropout, dtype=dtype, name="embedding_dropout")
        self.encoder = [new.encoder(f"encoder_{i}") for i in range(num_layers)]
        self.decoder = [
            new.decoder(f"decoder_{i}") for i in range(num_decoder_layers or num_layers)
        ]
        self.bias = new.bias()

        # === Functional model ===
        inputs = seq2seq_inputs()
        super().__init__(inputs=inputs, outputs=self.whole_pass(inputs), name=name, **kwargs)

    @property
    def layer_groups(self) -> list[list[keras.layers.Layer]]:
        """The layers from the input up: the embeddings, then one group per block.

        `freeze` counts these groups, and `layer_decay` lowers the learning rate from one to the
        next.
        """
        positions = existing(self.source_positions, self.target_positions)
        embeddings = [self.embedding, *positions, self.source_norm, self.target_norm]
        return [embeddings, *([block] for block in [*self.encoder, *self.decoder])]

    def embed_source(self, ids: Any) -> Any:
        x = add_positions(self.source_positions, self.embedding(ids))
        return self.drop(self.source_norm(x))

    def embed_target(self, ids: Any, start_index: Any = 0) -> Any:
        x = add_positions(self.target_positions, self.embedding(ids), start_index)
        return self.drop(self.target_norm(x))

    def logits_of(self, y: Any) -> Any:
        return add_bias(self.bias, self.embedding(y, reverse=True))


def normal() -> keras.initializers.Initializer:
    """A new initializer of kernels and embeddings, as of the published checkpoints."""
    return keras.initializers.RandomNormal(stddev=0.02)
