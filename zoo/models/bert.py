"""BERT: the Transformer encoder that reads a text in both directions."""

from typing import Annotated, Any

import keras
from keras import ops

from keras_attn.blocks.feed_forward import ACTIVATIONS
from keras_attn.dropout import Dropout
from zoo.limits import Limits
from zoo.models.arguments import FromTask, NonNegative, NonNegativeInt, PositiveInt, Rate
from zoo.models.attending import ENCODER, read_blocks
from zoo.models.bucketed_bias import BucketedBias
from zoo.models.config import config_of
from zoo.models.modern_bert_options import ModernBertOptions
from zoo.models.pooling import pool
from zoo.models.transformer_blocks import TransformerBlocks, add_positions, existing
from zoo.models.transformer_options import FULL, TransformerOptions
from zoo.models.zoo_model import Tensors, ZooModel

OPTIONS = TransformerOptions(use_bias=True)
MODERN = ModernBertOptions()
POOLER_ACTIVATIONS = {"tanh": "tanh", "relu": ACTIVATIONS["relu"], "gelu": ACTIVATIONS["gelu"]}


@keras.saving.register_keras_serializable(package="keras_attn")
class Bert(ZooModel):
    """The encoder of BERT: embeddings, a stack of Transformer encoder blocks, and a pooler.

    With `modern`, it is that of ModernBERT.

    `BertMaskedLM`, `BertTextClassifier`, `BertTokenClassifier`, `BertMultiTask` and
    `BertTextEmbedder` extend it with the outputs of a task.

    Source: Devlin et al. 2019, section 3 and appendix A.2; Warner et al. 2024 (ModernBERT).
    Formula: `x_0 = LN(E[ids] + P + S[segments])`, with `exact_match` also `+ matches M`; with
        `embedding_size` then `x_0 W_e + b_e`; then N encoder blocks with layer normalization after
        the residual connections; `pooled = f(x_N[0] W_p + b_p)`, f being the activation of the
        pooler

    Args:
        vocabulary_size: Number of tokens V.
        num_layers: Number of blocks N.
        hidden_dim: Width D of the hidden states.
        num_heads: Number of attention heads H.
        intermediate_dim: Width between the two layers of each feed-forward network.
        activation: "relu", "gelu", "gelu_tanh", "glu", "swiglu", "geglu" or "geglu_tanh".
        dropout: Dropout rate of the embeddings and of each sublayer's output.
        attention_dropout: Dropout rate of the attention weights.
        embedding_size: Width E of the embeddings, which a linear layer projects to D after their
            normalization, as in small ELECTRA models. Defaults to D, without such a layer.
        max_sequence_length: Number of learned position embeddings: the maximum of T. There is no
            limit with other positions.
        num_segments: Number of segment embeddings; 0 for none, as in DistilBERT; with 1, as in
            RoBERTa, both texts of a pair have the same.
        pooler_activation: Activation of the pooler: "tanh", "relu" as in DistilBERT, or "gelu" as
            in ELECTRA.
        relative_attention_num_buckets: Number of buckets of distances, for each of which there is a
            bias of the attention scores that all blocks share (`BucketedBias`), as in MPNet; even
            and at least 4, with full attention. Defaults to no such bias.
        relative_attention_max_distance: Distance from which on all have the same bucket.
        exact_match: Whether there is an embedding M of the tokens that are in both texts of a pair
            (Chen et al. 2017, section 3.2), by which a model without pretraining compares them.
        epsilon: Epsilon of the normalizations.
        options: Attention, positions, normalization and output; see `TransformerOptions`. Those of
            the output are used by `BertMaskedLM`.
        modern: What differs in ModernBERT: normalizations before sublayers, windows of some blocks,
            no biases; see `ModernBertOptions`.

    Inputs: `token_ids`, `padding_mask`, `segment_ids` (B, T).
    Outputs: `sequence` (B, T, D), and `pooled` (B, D), computed from the first token.

    Raises:
        ValueError: If num_heads does not divide hidden_dim, or there cannot be a bias by distance.

    Example:
        >>> model = Bert(23, num_layers=1, hidden_dim=8, num_heads=2, intermediate_dim=16)
        >>> {name: output.shape for name, output in model.output.items()}
        {'sequence': (None, None, 8), 'pooled': (None, 8)}
    """

    def __init__(
        self,
        vocabulary_size: FromTask[PositiveInt],
        num_layers: PositiveInt = 12,
        hidden_dim: PositiveInt = 768,
        num_heads: PositiveInt = 12,
        intermediate_dim: PositiveInt = 3072,
        activation: str = "gelu",
        dropout: Rate = 0.1,
        attention_dropout: Rate = 0.1,
        embedding_size: PositiveInt | None = None,
        max_sequence_length: PositiveInt = 512,
        num_segments: NonNegativeInt = 2,
        pooler_activation: Annotated[str, Limits(choices=tuple(POOLER_ACTIVATIONS))] = "tanh",
        relative_attention_num_buckets: Annotated[int, Limits(minimum=4)] | None = None,
        relative_attention_max_distance: PositiveInt = 128,
        exact_match: bool = False,
        epsilon: NonNegative = 1e-12,
        options: TransformerOptions = OPTIONS,
        modern: ModernBertOptions = MODERN,
        dtype: Any = None,
        name: str = "bert",
        **kwargs: Any,
    ) -> None:
        self._config = config_of(Bert, locals())
        # === Layers ===
        self.relative_bias: BucketedBias | None = None
        if relative_attention_num_buckets is not None:
            if options.attention != FULL or options.in_attention() is not None:
                raise ValueError(
                    "relative_attention_num_buckets requires attention='full' and no other "
                    f"positions inside; received {options.attention!r} and {options.position!r}."
                )
            self.relative_bias = BucketedBias(
                relative_attention_num_buckets,
                relative_attention_max_distance,
                initializer(),
                dtype=dtype,
                name="relative_bias",
            )
        modern.check(options, self.relative_bias is not None)
        new = TransformerBlocks(
            options=options,
            hidden_dim=hidden_dim,
            num_heads=num_heads,
            intermediate_dim=intermediate_dim,
            activation=activation,
            dropout=dropout,
            attention_dropout=attention_dropout,
            epsilon=epsilon,
            new_initializer=initializer,
            dtype=dtype,
            shared_position=self.relative_bias,
        )
        self.hidden_dim, self.options, self.modern = hidden_dim, options, modern
        self.head_diversity = options.penalty()
        self.max_sequence_length = max_sequence_length if options.is_learned else None
        self.embedding_size = hidden_dim if embedding_size is None else embedding_size
        width = self.embedding_size
        self.embedding = new.embedding(vocabulary_size, has_logits=False, width=width)
        self.segment_embedding: keras.layers.Embedding | None = None
        if num_segments:
            self.segment_embedding = keras.layers.Embedding(
                num_segments, width, initializer(), dtype=dtype, name="segment_embedding"
            )
        self.match_embedding: keras.layers.Dense | None = None
        if exact_match:
            self.match_embedding = keras.layers.Dense(
                width,
                use_bias=False,
                kernel_initializer=initializer(),
                dtype=dtype,
                name="match_embedding",
            )
        self.positions = new.positions(max_sequence_length)
        self.norm = modern.norm(new, "norm")
        self.drop = Dropout(dropout, dtype=dtype, name="dropout")
        self.embedding_projection: keras.layers.Dense | None = None
        if embedding_size is not None:
            self.embedding_projection = keras.layers.Dense(
                hidden_dim,
                kernel_initializer=initializer(),
                dtype=dtype,
                name="embedding_projection",
            )
        self.blocks = [modern.encoder(new, number) for number in range(num_layers)]
        self.last_norm = modern.norm(new, "last_norm") if modern.pre_norm else None
        self.pooler = keras.layers.Dense(
            hidden_dim,
            POOLER_ACTIVATIONS[pooler_activation],
            use_bias=modern.layer_bias,
            kernel_initializer=initializer(),
            dtype=dtype,
            name="pooler",
        )
        self.pooler_norm = modern.norm(new, "pooler_norm") if modern.pooler_norm else None

        # === Functional model ===
        inputs = bert_inputs()
        x, _ = self._read(inputs)
        read = x[:, 0]
        if modern.pooler_pooling != "cls":
            mean = pool(x, inputs["padding_mask"], modern.pooler_pooling)
            read = ops.cast(mean, self.pooler.compute_dtype)
        outputs = {"sequence": x, "pooled": self._pooled(read)}
        super().__init__(inputs=inputs, outputs=outputs, name=name, **kwargs)

    def _read(self, inputs: Tensors, with_maps: bool = False) -> tuple[Any, list[Any]]:
        x = self.embedding(inputs["token_ids"])
        if self.segment_embedding is not None:
            segments = inputs["segment_ids"]
            if self.segment_embedding.input_dim == 1:  # both texts of a pair have the same
                segments = ops.zeros_like(segments)
            x = x + self.segment_embedding(segments)
        if self.match_embedding is not None:
            x = x + self.match_embedding(ops.expand_dims(exact_matches(inputs), -1))
        x = self.drop(self.norm(add_positions(self.positions, x)))
        if self.embedding_projection is not None:
            x = self.embedding_projection(x)
        x, maps = read_blocks(self.blocks, x, with_maps, padding_mask=inputs["padding_mask"])
        return (x if self.last_norm is None else self.last_norm(x)), maps

    def _pooled(self, x: Any) -> Any:
        """What the pooler makes of hidden states (..., D)."""
        x = self.pooler(x)
        return x if self.pooler_norm is None else self.pooler_norm(x)

    def of_tokens(self) -> Any:
        """What heads for tokens read (B, T, D): hidden states, or what the pooler makes of them."""
        if self.modern.pooler_of_tokens:
            return self._pooled(self.output["sequence"])
        return self.output["sequence"]

    def freeze_pooler(self) -> None:
        """Keeps the pooler out of training, where no gradient reaches it."""
        self.pooler.trainable = False
        if self.pooler_norm is not None:
            self.pooler_norm.trainable = False

    @property
    def attention_layers(self) -> dict[str, int]:
        return {ENCODER: len(self.blocks)} if self.options.has_maps else {}

    def attention_maps(self, inputs: Tensors) -> dict[str, list[Any]]:
        return {ENCODER: self._read(inputs, with_maps=True)[1]}

    @property
    def word_embeddings(self) -> list[keras.layers.Layer]:
        return [self.embedding]

    @property
    def scales_word_vectors(self) -> bool:
        return True

    @property
    def layer_groups(self) -> list[list[keras.layers.Layer]]:
        """The layers from the input up: the embeddings, then one group per block.

        `freeze` counts these groups, and `layer_decay` lowers the learning rate from one to the
        next; the pooler and a last normalization are in no group.
        """
        embeddings = existing(
            self.embedding,
            self.segment_embedding,
            self.match_embedding,
            self.positions,
            self.norm,
            self.embedding_projection,
            self.relative_bias,
        )
        return [embeddings, *([block] for block in self.blocks)]


def exact_matches(inputs: Tensors) -> Any:
    """Whether each token (B, T) is also in another segment of its row: 1.0 or 0.0.

    Source: Chen et al. 2017, "Reading Wikipedia to answer open-domain questions", section 3.2.
    Formula: `m_i = max_j [ids_i = ids_j][segments_i != segments_j]`, over tokens without padding

    Args:
        inputs: The inputs of an encoder.

    Example:
        >>> row = {"token_ids": [[2, 5, 7, 5, 0]], "segment_ids": [[0, 0, 0, 1, 1]]}
        >>> row |= {"padding_mask": [[True, True, True, True, False]]}
        >>> exact_matches({x: ops.convert_to_tensor(of) for x, of in row.items()}).numpy().tolist()
        [[0.0, 1.0, 0.0, 1.0, 0.0]]
    """
    ids, segments = inputs["token_ids"], inputs["segment_ids"]
    mask = inputs["padding_mask"]
    equal, across, seen = (
        compare(ops.expand_dims(x, 2), ops.expand_dims(x, 1))
        for compare, x in ((ops.equal, ids), (ops.not_equal, segments), (ops.logical_and, mask))
    )
    matches = ops.logical_and(ops.logical_and(equal, across), seen)
    return ops.cast(ops.any(matches, axis=-1), "float32")


def initializer() -> keras.initializers.Initializer:
    """A new initializer for any of BERT's kernels and embeddings.

    Source: Devlin et al. 2019, the released code: a normal distribution with a standard deviation
    of 0.02, truncated at two standard deviations.
    """
    return keras.initializers.TruncatedNormal(stddev=0.02)


def bert_inputs() -> Tensors:
    """Symbolic inputs of an encoder: `token_ids`, `padding_mask` and `segment_ids` (B, T)."""
    dtypes = {"token_ids": "int32", "padding_mask": "bool", "segment_ids": "int32"}
    return {name: keras.Input((None,), dtype=dtype, name=name) for name, dtype in dtypes.items()}
