"""The layers of GPT, which more than one model reads."""

from typing import Any, ClassVar

import keras
from keras import ops

from keras_attn.blocks.encoder import EncoderBlock
from keras_attn.blocks.residual import EPSILON
from keras_attn.dropout import Dropout
from keras_attn.position.learned import LearnedPositions

# Added to the embeddings, or known to the heads of self-attention.
POSITIONS = ("learned", "rotary", "alibi")


class GPTLayers(keras.Model):
    """An embedding, a stack of blocks and a norm, of which a subclass says who sees whom.

    Source: Radford et al. 2018, section 3.1 (GPT-1, norms after the sum); Radford et al. 2019,
    section 2.3 (GPT-2, norms before each sublayer and at the end).
    Formula: `x_0 = E[ids] + P`, N blocks; `logits = x_N E^T`

    Args:
        vocabulary_size: Number of tokens V.
        num_layers: Number of blocks N.
        hidden_dim: Model hidden_dim D.
        num_heads: Number of heads H.
        intermediate_dim: Width between the two layers of each feed-forward network.
        activation: "relu", "gelu", "gelu_tanh" or "glu".
        dropout: Share that training drops of embeddings and of each sublayer's output.
        attention_dropout: Share of the attention weights that training drops.
        pre_norm: Normalize before each sublayer and at the end, not after the sum.
        position: "learned", which is added to the embeddings, or "rotary" or "alibi".
        max_length: Number of positions there are to learn; no other scheme has an end.
        epsilon: What the norms add to the variance, under the root.

    Raises:
        ValueError: If position is unknown.
    """

    default_name: ClassVar[str]

    def __init__(
        self,
        vocabulary_size: int,
        num_layers: int = 12,
        hidden_dim: int = 768,
        num_heads: int = 12,
        intermediate_dim: int = 3072,
        activation: str = "gelu_tanh",
        dropout: float = 0.1,
        attention_dropout: float = 0.1,
        pre_norm: bool = True,
        position: str = "learned",
        max_length: int = 1024,
        epsilon: float = EPSILON,
        dtype: Any = None,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        # === Layers ===
        if position not in POSITIONS:
            choices = ", ".join(POSITIONS)
            raise ValueError(f"position must be one of {choices}; received {position!r}.")
        initializer = keras.initializers.RandomNormal(stddev=0.02)
        block: dict[str, Any] = {
            "num_heads": num_heads,
            "intermediate_dim": intermediate_dim,
            "activation": activation,
            "dropout": dropout,
            "attention_dropout": attention_dropout,
            "pre_norm": pre_norm,
            "epsilon": epsilon,
            "dtype": dtype,
        }
        self.hidden_dim = hidden_dim
        self.embedding = keras.layers.ReversibleEmbedding(
            vocabulary_size,
            hidden_dim,
            embeddings_initializer=initializer,
            reverse_dtype="float32",
            dtype=dtype,
            name="embedding",
        )
        self.positions = None
        self.max_sequence_length = max_length if position == "learned" else None
        if position == "learned":
            self.positions = LearnedPositions(
                max_length, initializer.clone(), dtype=dtype, name="positions"
            )
        in_heads = None if position == "learned" else position
        self.drop = Dropout(dropout, dtype=dtype, name="embedding_dropout")
        self.blocks = [
            EncoderBlock(**block, position=in_heads, name=f"block_{i}") for i in range(num_layers)
        ]
        # Post-norm blocks end in a norm; a pre-norm stack needs one more.
        self.norm = keras.layers.Identity(dtype=dtype, name="norm")
        if pre_norm:
            self.norm = keras.layers.LayerNormalization(epsilon=epsilon, dtype=dtype, name="norm")

        # === Config ===
        self._config = {
            **{k: v for k, v in block.items() if k != "dtype"},
            "vocabulary_size": vocabulary_size,
            "num_layers": num_layers,
            "hidden_dim": hidden_dim,
            "position": position,
            "max_length": max_length,
            "dtype": dtype if dtype is None else keras.dtype_policies.get(dtype).name,
        }

        # === Functional model ===
        inputs = self.new_inputs()
        # They are float32 under every policy; the symbolic ones say so only if they are told.
        logits = ops.cast(self._logits(self.whole_pass(inputs)), "float32")
        super().__init__(
            inputs=inputs, outputs={"logits": logits}, name=name or self.default_name, **kwargs
        )

    def new_inputs(self) -> dict[str, Any]:
        """Symbolic inputs of the model."""
        raise NotImplementedError

    def whole_pass(self, inputs: dict[str, Any]) -> Any:
        """What the last block says of the tokens whose next ones are foretold, (B, T, D)."""
        raise NotImplementedError

    @property
    def layer_groups(self) -> list[list[keras.layers.Layer]]:
        """The layers from the input up: what is embedded, then a block each."""
        positions = [] if self.positions is None else [self.positions]
        return [[self.embedding, *positions], *([block] for block in self.blocks)]

    def _embed(self, ids: Any, start_index: Any = 0) -> Any:
        # Any row serves for padding that is no token.
        x = self.embedding(ops.maximum(ids, 0))
        if self.positions is not None:
            x = self.positions(x, start_index=start_index)
        return self.drop(x)

    def _logits(self, x: Any) -> Any:
        return self.embedding(self.norm(x), reverse=True)

    def _steps(
        self, x: Any, caches: list[Any], index: Any, attention_mask: Any = None
    ) -> tuple[Any, list[Any]]:
        """The `step` of each block, over steps the first of which has the index."""
        written = []
        for layer, old in zip(self.blocks, caches, strict=True):
            x, new = layer.step(x, old, index, attention_mask)
            written.append(new)
        return x, written

    def get_config(self) -> dict[str, Any]:
        return {**self._config, "name": self.name}
