"""BERT: the Transformer encoder that reads a text in both directions."""

from typing import Any

import keras

from keras_attn.blocks.encoder import EncoderBlock
from keras_attn.dropout import Dropout
from keras_attn.position.learned import LearnedPositions
from zoo.models.arguments import FromTask, NonNegative, PositiveInt, Rate
from zoo.models.attending import ENCODER, Attending, Tensors, read_blocks
from zoo.models.config import config_of
from zoo.models.reversible_embedding import ReversibleEmbedding
from zoo.models.sublayers import FULL, Sublayers


@keras.saving.register_keras_serializable(package="keras_attn")
class Bert(Attending):
    """The encoder of BERT: embeddings, a stack of Transformer encoder blocks, and a pooler.

    `BertMaskedLM`, `BertTextClassifier`, `BertTokenClassifier`, `BertMultiTask` and
    `BertTextEmbedder` extend it with the outputs of a task.

    Source: Devlin et al. 2019, section 3 and appendix A.2.
    Formula: `x_0 = LN(E[ids] + P + S[segments])`, N encoder blocks with layer normalization after
    the residual connections; `pooled = tanh(x_N[0] W_p + b_p)`

    Args:
        vocabulary_size: Number of tokens V.
        num_layers: Number of blocks N.
        hidden_dim: Width D of the hidden states.
        num_heads: Number of attention heads H.
        intermediate_dim: Width between the two layers of each feed-forward network.
        activation: "relu", "gelu", "gelu_tanh", "glu", "swiglu", "geglu" or "geglu_tanh".
        dropout: Dropout rate of the embeddings and of each sublayer's output.
        attention_dropout: Dropout rate of the attention weights.
        max_sequence_length: Number of position embeddings: the maximum of T.
        num_segments: Number of segment embeddings.
        epsilon: Epsilon of the normalizations.
        attention: Self-attention of the blocks: "full", "local", "linear" or "random_feature" (see
            `zoo.models.sublayers.Sublayers`).
        window: Maximum distance that "local" attention bridges in each block.
        normalization: "layer" or "rms" normalization.
        num_key_value_heads: Number of heads of keys and values, which groups of the H heads share
            (grouped-query attention; 1: multi-query attention). Defaults to H; only with "full".

    Inputs: `token_ids`, `padding_mask`, `segment_ids` (B, T).
    Outputs: `sequence` (B, T, D), and `pooled` (B, D), computed from the first token.

    Raises:
        ValueError: If attention or normalization is unknown, or window is not given with "local"
            attention.

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
        max_sequence_length: PositiveInt = 512,
        num_segments: PositiveInt = 2,
        epsilon: NonNegative = 1e-12,
        attention: str = FULL,
        window: PositiveInt | None = None,
        normalization: str = "layer",
        num_key_value_heads: PositiveInt | None = None,
        dtype: Any = None,
        name: str = "bert",
        **kwargs: Any,
    ) -> None:
        self._config = config_of(Bert, locals())
        # === Layers ===
        block: dict[str, Any] = {
            "num_heads": num_heads,
            "intermediate_dim": intermediate_dim,
            "activation": activation,
            "dropout": dropout,
            "attention_dropout": attention_dropout,
            "epsilon": epsilon,
        }
        self.sublayers = Sublayers(attention, window, normalization, num_key_value_heads)
        self.hidden_dim, self.max_sequence_length = hidden_dim, max_sequence_length
        self.embedding = ReversibleEmbedding(
            vocabulary_size,
            hidden_dim,
            embeddings_initializer=initializer(),
            dtype=dtype,
            name="embedding",
        )
        self.segment_embedding = keras.layers.Embedding(
            num_segments, hidden_dim, initializer(), dtype=dtype, name="segment_embedding"
        )
        self.positions = LearnedPositions(
            max_sequence_length, initializer(), dtype=dtype, name="positions"
        )
        self.norm = self.sublayers.norm(epsilon, dtype, "norm")
        self.drop = Dropout(dropout, dtype=dtype, name="dropout")
        self.blocks = [
            EncoderBlock(
                **self.sublayers.block_options(
                    hidden_dim,
                    **block,
                    kernel_initializer=initializer(),
                    dtype=dtype,
                    name=f"block_{i}",
                )
            )
            for i in range(num_layers)
        ]
        self.pooler = keras.layers.Dense(
            hidden_dim, "tanh", kernel_initializer=initializer(), dtype=dtype, name="pooler"
        )

        # === Functional model ===
        inputs = bert_inputs()
        x, _ = self._read(inputs)
        outputs = {"sequence": x, "pooled": self.pooler(x[:, 0])}
        super().__init__(inputs=inputs, outputs=outputs, name=name, **kwargs)

    def _read(self, inputs: Tensors, with_maps: bool = False) -> tuple[Any, list[Any]]:
        x = self.embedding(inputs["token_ids"]) + self.segment_embedding(inputs["segment_ids"])
        x = self.drop(self.norm(self.positions(x)))
        return read_blocks(self.blocks, x, with_maps, padding_mask=inputs["padding_mask"])

    @property
    def attention_layers(self) -> dict[str, int]:
        return {ENCODER: len(self.blocks)} if self.sublayers.has_maps else {}

    def attention_maps(self, inputs: Tensors) -> dict[str, list[Any]]:
        return {ENCODER: self._read(inputs, with_maps=True)[1]}

    @property
    def layer_groups(self) -> list[list[keras.layers.Layer]]:
        """The layers from the input up: the embeddings, then one group per block.

        `freeze` counts these groups, and `layer_decay` lowers the learning rate from one to the
        next; the pooler is in no group.
        """
        embeddings = [self.embedding, self.segment_embedding, self.positions, self.norm]
        return [embeddings, *([block] for block in self.blocks)]

    def get_config(self) -> dict[str, Any]:
        return {**self._config, "name": self.name}


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
