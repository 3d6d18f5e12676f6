"""The Transformer encoder-decoder."""

from typing import Any

import keras

from keras_attn.dropout import Dropout
from zoo.models.arguments import FromTask, PositiveInt, Rate
from zoo.models.config import config_of
from zoo.models.reversible_embedding import ReversibleEmbedding
from zoo.models.seq2seq import check_shared_vocabulary, seq2seq_inputs
from zoo.models.transformer_blocks import TransformerBlocks, add_bias, add_positions
from zoo.models.transformer_options import SINUSOIDAL, TransformerOptions
from zoo.models.transformer_seq2seq import TransformerSeq2Seq

OPTIONS = TransformerOptions(position=SINUSOIDAL)


@keras.saving.register_keras_serializable(package="keras_attn")
class Transformer(TransformerSeq2Seq):
    """The encoder-decoder of "Attention Is All You Need", with a choice of positions.

    Source: Vaswani et al. 2017, section 3 and table 3; positions: Gehring et al. 2017 (learned),
    Su et al. 2021 (rotary), Press et al. 2021 (alibi), Shaw et al. 2018.
    Formula: `x_0 = sqrt(D) E[ids] + positions`, N encoder blocks; the decoder likewise, over the
    encoder's output; `logits = y_N E^T`; with `embedding_size` E[ids] W_e and y_N W_o instead of
    E[ids] and y_N

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
        max_sequence_length: Number of learned position embeddings: the maximum of S and T. There
            is no limit with other positions.
        share_embeddings: Whether source, target and logits share one embedding. If False, only
            target and logits do.
        embedding_size: Width E of the embeddings, which a linear layer projects to D, and another
            the output to E for the logits. Defaults to D, without such layers.
        options: Attention, positions, normalization and output; see `TransformerOptions`.

    Inputs: `source_ids`, `source_mask` (B, S), `target_ids`, `target_mask` (B, T).
    Outputs: `logits` (B, T, V), float32.

    Raises:
        ValueError: If num_heads does not divide hidden_dim, or share_embeddings is set for
            vocabularies of two sizes.

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
        max_sequence_length: PositiveInt = 512,
        share_embeddings: bool = True,
        embedding_size: PositiveInt | None = None,
        options: TransformerOptions = OPTIONS,
        dtype: Any = None,
        name: str = "transformer",
        **kwargs: Any,
    ) -> None:
        self._config = config_of(Transformer, locals())
        # === Layers ===
        new = TransformerBlocks(
            options=options,
            hidden_dim=hidden_dim,
            num_heads=num_heads,
            intermediate_dim=intermediate_dim,
            activation=activation,
            dropout=dropout,
            attention_dropout=attention_dropout,
            pre_norm=pre_norm,
            dtype=dtype,
        )

        self.embedding_size = hidden_dim if embedding_size is None else embedding_size
        width = self.embedding_size

        def embedding(size: int, name: str, has_logits: bool = True) -> ReversibleEmbedding:
            normal = keras.initializers.RandomNormal(stddev=width**-0.5)
            return new.embedding(size, normal, name, has_logits, width)

        def projection(units: int, name: str) -> keras.layers.Dense | None:
            if embedding_size is None:
                return None
            return keras.layers.Dense(units, use_bias=False, dtype=dtype, name=name)

        self.embedding_projection = projection(hidden_dim, "embedding_projection")
        self.logits_projection = projection(width, "logits_projection")
        self.target_embedding = embedding(target_vocabulary_size, "target_embedding")
        self.source_embedding = self.target_embedding
        if share_embeddings:
            check_shared_vocabulary(source_vocabulary_size, target_vocabulary_size)
        else:
            self.source_embedding = embedding(source_vocabulary_size, "source_embedding", False)
        self.hidden_dim, self.options = hidden_dim, options
        self.head_diversity = options.penalty()
        self.max_sequence_length = max_sequence_length if options.is_learned else None
        self.positions = new.positions(max_sequence_length, "uniform")
        self.drop = Dropout(dropout, dtype=dtype, name="embedding_dropout")
        self.encoder = [new.encoder(f"encoder_{i}") for i in range(num_layers)]
        self.decoder = [new.decoder(f"decoder_{i}") for i in range(num_layers)]
        self.encoder_norm = new.last_norm("encoder_norm")
        self.decoder_norm = new.last_norm("decoder_norm")
        self.bias = new.bias()

        # === Functional model ===
        inputs = seq2seq_inputs()
        super().__init__(inputs=inputs, outputs=self.whole_pass(inputs), name=name, **kwargs)

    @property
    def scales_word_vectors(self) -> bool:
        return True

    def _embed(self, embedding: keras.layers.Layer, ids: Any, start_index: Any = 0) -> Any:
        x = embedding(ids) * self.embedding_size**0.5
        if self.embedding_projection is not None:
            x = self.embedding_projection(x)
        return self.drop(add_positions(self.positions, x, start_index))

    def embed_source(self, ids: Any) -> Any:
        return self._embed(self.source_embedding, ids)

    def embed_target(self, ids: Any, start_index: Any = 0) -> Any:
        return self._embed(self.target_embedding, ids, start_index)

    def end_encoder(self, x: Any) -> Any:
        return self.encoder_norm(x)

    def logits_of(self, y: Any) -> Any:
        y = self.decoder_norm(y)
        if self.logits_projection is not None:
            y = self.logits_projection(y)
        logits = self.target_embedding(y, reverse=True)
        return add_bias(self.bias, logits)
