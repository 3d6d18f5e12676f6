"""GPT: the Transformer decoder that continues a text."""

from typing import Any

import keras

from keras_attn.blocks.residual import EPSILON
from keras_attn.dropout import Dropout
from zoo.models.arguments import FromTask, NonNegative, PositiveInt, Rate
from zoo.models.causal_transformer import CausalTransformer
from zoo.models.config import config_of
from zoo.models.transformer_blocks import TransformerBlocks
from zoo.models.transformer_options import TransformerOptions

OPTIONS = TransformerOptions()


@keras.saving.register_keras_serializable(package="keras_attn")
class GPT(CausalTransformer):
    """A stack of Transformer blocks with causal self-attention, and tied embeddings.

    Source: Radford et al. 2018, section 3.1 (GPT-1, layer normalization after the residual
    connections); Radford et al. 2019, section 2.3 (GPT-2, layer normalization before each sublayer
    and after the last block).
    Formula: `x_0 = E[ids] + P`, N blocks with a causal mask; `logits = LN(x_N) E^T`, without LN
    for GPT-1. Kernels and embeddings start from N(0, 0.02) (Radford et al. 2018, section 4.1), and
    with `pre_norm` the two kernels of each block whose outputs are added to the residual stream
    from N(0, 0.02 / sqrt(2 N)) (Radford et al. 2019, section 2.3)

    Args:
        vocabulary_size: Number of tokens V.
        num_layers: Number of blocks N.
        hidden_dim: Width D of the hidden states.
        num_heads: Number of attention heads H.
        intermediate_dim: Width between the two layers of each feed-forward network.
        activation: "relu", "gelu", "gelu_tanh", "glu", "swiglu", "geglu" or "geglu_tanh".
        dropout: Dropout rate of the embeddings and of each sublayer's output.
        attention_dropout: Dropout rate of the attention weights.
        pre_norm: Layer normalization before each sublayer and after the last block, as in GPT-2,
            instead of after each residual connection, as in GPT-1.
        max_sequence_length: Number of learned position embeddings: the maximum of T. There is no
            limit with other positions.
        epsilon: Epsilon of the normalizations.
        options: Attention, positions, normalization and output; see `TransformerOptions`.

    Inputs: `token_ids`, `padding_mask` (B, T).
    Outputs: `logits` (B, T, V), float32.

    Raises:
        ValueError: If num_heads does not divide hidden_dim.

    Example:
        >>> model = GPT(23, num_layers=1, hidden_dim=8, num_heads=2, intermediate_dim=16)
        >>> sorted(model.input), model.output["logits"].shape
        (['padding_mask', 'token_ids'], (None, None, 23))
    """

    def __init__(
        self,
        vocabulary_size: FromTask[PositiveInt],
        num_layers: PositiveInt = 12,
        hidden_dim: PositiveInt = 768,
        num_heads: PositiveInt = 12,
        intermediate_dim: PositiveInt = 3072,
        activation: str = "gelu_tanh",
        dropout: Rate = 0.1,
        attention_dropout: Rate = 0.1,
        pre_norm: bool = True,
        max_sequence_length: PositiveInt = 1024,
        epsilon: NonNegative = EPSILON,
        options: TransformerOptions = OPTIONS,
        dtype: Any = None,
        name: str = "gpt",
        **kwargs: Any,
    ) -> None:
        self._config = config_of(GPT, locals())

        # === Layers ===
        def normal(scale: float = 1.0) -> keras.initializers.Initializer:
            return keras.initializers.RandomNormal(stddev=0.02 * scale)

        def residual() -> keras.initializers.Initializer:
            return normal((2 * num_layers) ** -0.5)

        new = TransformerBlocks(
            options=options,
            hidden_dim=hidden_dim,
            num_heads=num_heads,
            intermediate_dim=intermediate_dim,
            activation=activation,
            dropout=dropout,
            attention_dropout=attention_dropout,
            pre_norm=pre_norm,
            epsilon=epsilon,
            new_initializer=normal,
            # GPT-2 adds 2 N terms to the residual stream; GPT-1 normalizes each sum.
            new_residual_initializer=residual if pre_norm else None,
            dtype=dtype,
        )
        self.hidden_dim, self.options = hidden_dim, options
        self.head_diversity = options.penalty()
        self.max_sequence_length = max_sequence_length if options.is_learned else None
        self.embedding = new.embedding(vocabulary_size)
        self.positions = new.positions(max_sequence_length)
        self.drop = Dropout(dropout, dtype=dtype, name="embedding_dropout")
        self.blocks = [new.encoder(f"block_{i}") for i in range(num_layers)]
        self.norm = new.last_norm("norm")
        self.bias = new.bias()

        # === Functional model ===
        super().__init__(**self.functional(), name=name, **kwargs)
