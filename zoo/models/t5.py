"""T5: the encoder-decoder with biases of attention scores by distance."""

from typing import Any

import keras
from keras import ops

from keras_attn.blocks.decoder import DecoderBlock
from keras_attn.blocks.encoder import EncoderBlock
from keras_attn.blocks.feed_forward import FeedForward
from keras_attn.blocks.residual import NORMALIZATIONS
from keras_attn.blocks.transformer_block import heads_of
from keras_attn.dropout import Dropout
from zoo.errors import UserError
from zoo.models.arguments import FromTask, NonNegative, PositiveInt, Rate
from zoo.models.bias import Bias
from zoo.models.bucketed_bias import BucketedBias
from zoo.models.config import config_of
from zoo.models.reversible_embedding import ReversibleEmbedding
from zoo.models.seq2seq import seq2seq_inputs
from zoo.models.transformer_blocks import add_bias
from zoo.models.transformer_options import FULL, NONE, TransformerOptions
from zoo.models.transformer_seq2seq import TransformerSeq2Seq

OPTIONS = TransformerOptions(normalization="rms", score="dot", position=NONE)


@keras.saving.register_keras_serializable(package="keras_attn")
class T5(TransformerSeq2Seq):
    """A Transformer encoder-decoder whose attention has a bias for each bucket of distances.

    All layers of the encoder share one bias, and all of the decoder another (`BucketedBias`). There
    are no biases of other layers, and scores are not scaled: initial weights are small instead.

    Source: Raffel et al. 2020, section 2.1; without scaled logits, with a gated feed-forward
        network: Shazeer 2020, as in T5 1.1; initial weights as in the released code.
    Formula: `x_0 = E[ids]`, N blocks `h = x + A(R(x))`, `x = h + F(R(h))`, memory `R(x_N)`; in the
        decoder causal attention, with attention to the memory between both; `logits = R(y_N) E^T`,
        with `scale_logits` `R(y_N) E^T / sqrt(D)`; R being the RMS normalization

    Args:
        vocabulary_size: Number of tokens V, of source and target.
        num_layers: Number of encoder blocks N.
        num_decoder_layers: Number of decoder blocks. Defaults to N.
        hidden_dim: Width D of the hidden states.
        num_heads: Number of attention heads H.
        key_dim: Size of each head. Defaults to D / H.
        intermediate_dim: Width between the two layers of each feed-forward network.
        activation: "relu", "gelu", "gelu_tanh", "glu", "swiglu", "geglu" or "geglu_tanh".
        dropout: Dropout rate of the embeddings, of each sublayer's output and of the last states.
        attention_dropout: Dropout rate of the attention weights.
        relative_attention_num_buckets: Number of buckets of distances.
        relative_attention_max_distance: Distance from which on all have the same bucket.
        scale_logits: Whether logits are divided by the square root of D, as in the first T5.
        epsilon: Epsilon of the normalizations.
        options: Attention, normalization and output; see `TransformerOptions`. Attention is
            "full", and `position` "none".

    Inputs: `source_ids`, `source_mask` (B, S), `target_ids`, `target_mask` (B, T).
    Outputs: `logits` (B, T, V), float32.

    Raises:
        ValueError: If `num_heads` does not divide `hidden_dim` and `key_dim` is not given, or there
            cannot be such buckets.
        UserError: If attention or position is another.

    Example:
        >>> model = T5(23, num_layers=1, hidden_dim=8, num_heads=2, intermediate_dim=16)
        >>> sorted(model.input), model.output["logits"].shape
        (['source_ids', 'source_mask', 'target_ids', 'target_mask'], (None, None, 23))
    """

    def __init__(
        self,
        vocabulary_size: FromTask[PositiveInt],
        num_layers: PositiveInt = 12,
        num_decoder_layers: PositiveInt | None = None,
        hidden_dim: PositiveInt = 768,
        num_heads: PositiveInt = 12,
        key_dim: PositiveInt | None = None,
        intermediate_dim: PositiveInt = 2048,
        activation: str = "geglu_tanh",
        dropout: Rate = 0.1,
        attention_dropout: Rate = 0.1,
        relative_attention_num_buckets: PositiveInt = 32,
        relative_attention_max_distance: PositiveInt = 128,
        scale_logits: bool = False,
        epsilon: NonNegative = 1e-6,
        options: TransformerOptions = OPTIONS,
        dtype: Any = None,
        name: str = "t5",
        **kwargs: Any,
    ) -> None:
        self._config = config_of(T5, locals())
        check_options(options)
        # === Layers ===
        heads, size = heads_of(hidden_dim, num_heads, key_dim)

        def new_bias(name: str, causal: bool) -> BucketedBias:
            return BucketedBias(
                relative_attention_num_buckets,
                relative_attention_max_distance,
                normal(hidden_dim**-0.5),
                causal,
                dtype=dtype,
                name=name,
            )

        def new_block(kind: Any, name: str, position: BucketedBias) -> Any:
            feed_forward = FeedForward(
                intermediate_dim,
                activation,
                options.activation_dropout,
                kernel_initializer=normal(hidden_dim**-0.5),
                residual_initializer=normal(intermediate_dim**-0.5),
                use_bias=False,
                dtype=dtype,
                name="feed_forward",
            )
            return kind(
                heads,
                key_dim=size,
                feed_forward=feed_forward,
                dropout=dropout,
                attention_dropout=attention_dropout,
                attention_bias=False,
                pre_norm=True,
                position=position,
                epsilon=epsilon,
                normalization=options.normalization,
                # Of queries, keys and values; those of queries are small as scores are not scaled.
                kernel_initializer=normal((hidden_dim * size) ** -0.5),
                residual_initializer=normal((heads * size) ** -0.5),
                dtype=dtype,
                name=name,
                **options.of_heads(),
            )

        def new_norm(name: str) -> keras.Layer:
            return NORMALIZATIONS[options.normalization](epsilon=epsilon, dtype=dtype, name=name)

        self.hidden_dim, self.options = hidden_dim, options
        self.head_diversity = options.penalty()
        self.max_sequence_length = None
        self.scale = hidden_dim**-0.5 if scale_logits else 1.0
        self.embedding = ReversibleEmbedding(
            vocabulary_size,
            hidden_dim,
            tie_weights=options.tie_embeddings,
            embeddings_initializer=normal(1.0 if scale_logits else hidden_dim**-0.5),
            dtype=dtype,
            name="embedding",
        )
        self.source_bias = new_bias("source_bias", causal=False)
        self.target_bias = new_bias("target_bias", causal=True)
        self.drop = Dropout(dropout, dtype=dtype, name="dropout")
        self.encoder = [
            new_block(EncoderBlock, f"encoder_{i}", self.source_bias) for i in range(num_layers)
        ]
        self.decoder = [
            new_block(DecoderBlock, f"decoder_{i}", self.target_bias)
            for i in range(num_decoder_layers or num_layers)
        ]
        self.source_norm, self.target_norm = new_norm("source_norm"), new_norm("target_norm")
        self.bias = Bias(dtype="float32", name="logits_bias") if options.use_bias else None

        # === Functional model ===
        inputs = seq2seq_inputs()
        super().__init__(inputs=inputs, outputs=self.whole_pass(inputs), name=name, **kwargs)

    @property
    def word_embeddings(self) -> list[keras.layers.Layer]:
        return [self.embedding]

    @property
    def layer_groups(self) -> list[list[keras.layers.Layer]]:
        """The layers from the input up: the embeddings, then one group per block.

        `freeze` counts these groups, and `layer_decay` lowers the learning rate from one to the
        next.
        """
        embeddings = [self.embedding, self.source_bias, self.target_bias]
        return [embeddings, *([block] for block in [*self.encoder, *self.decoder])]

    def embed_source(self, ids: Any) -> Any:
        return self.drop(self.embedding(ids))

    def embed_target(self, ids: Any, start_index: Any = 0) -> Any:
        return self.drop(self.embedding(ids))

    def end_encoder(self, x: Any) -> Any:
        return self.drop(self.source_norm(x))

    def logits_of(self, y: Any) -> Any:
        y = self.drop(self.target_norm(y))
        if self.scale != 1.0:
            y = y * ops.cast(self.scale, y.dtype)
        return add_bias(self.bias, self.embedding(y, reverse=True))


def normal(stddev: float) -> keras.initializers.Initializer:
    """A new initializer of kernels and embeddings."""
    return keras.initializers.RandomNormal(stddev=stddev)


def check_options(options: TransformerOptions) -> None:
    """Refuses what the blocks of T5 cannot have.

    Raises:
        UserError: If the attention is not full, or there are further positions.

    Example:
        >>> check_options(TransformerOptions(position="learned"))
        Traceback (most recent call last):
        zoo.errors.UserError: t5 requires position='none'; received 'learned'
    """
    for name, required in (("attention", FULL), ("position", NONE)):
        if (value := vars(options)[name]) != required:
            raise UserError(f"t5 requires {name}={required!r}; received {value!r}")
