"""The Transformer encoder that reads a text in both directions."""

from typing import Any

import keras
from keras import ops

from keras_attn.blocks.encoder import EncoderBlock
from keras_attn.blocks.feed_forward import ACTIVATIONS
from keras_attn.dropout import Dropout
from keras_attn.position.learned import LearnedPositions
from zoo.models.bias import Bias
from zoo.text.special_tokens import OURS, SpecialTokens

Tensors = dict[str, Any]


@keras.saving.register_keras_serializable(package="keras_attn")
class Bert(keras.Model):
    """A stack of Transformer encoder blocks, which tells what was masked, or a text's class.

    Source: Devlin et al. 2019, section 3 and appendix A.2.
    Formula: `x_0 = LN(E[ids] + P + S[segments])`, N blocks, norms after the sums;
    `pooled = tanh(x_N[0] W_p + b_p)`; `mlm_logits = LN(f(x_N W + b)) E^T + c`, f the activation;
    `nsp_logits = pooled W_n + b_n`; with classes `logits = pooled W_c + b_c` alone

    Args:
        vocabulary_size: Number of tokens V.
        num_classes: Number of classes C to tell; None for the two heads of pre-training, 0 for
            none; or the numbers by name, for a head each.
        per_token: Whether the class of each token is told, not that of the text.
        num_layers: Number of blocks N.
        hidden_dim: Model hidden_dim D.
        num_heads: Number of heads H.
        intermediate_dim: Width between the two layers of each feed-forward network.
        activation: "relu", "gelu", "gelu_tanh" or "glu": of the blocks, and of what masks are told
            by.
        dropout: Share that training drops of embeddings, of each sublayer's output and of what a
            class is told by.
        attention_dropout: Share of the attention weights that training drops.
        max_length: Number of positions there are to learn: the greatest T.
        segments: Number of segments.
        epsilon: What the norms add to the variance, under the root.

    Inputs: `token_ids`, `padding_mask`, `segment_ids` (B, T).
    Outputs: `sequence` (B, T, D), `pooled` (B, D), and `mlm_logits` (B, T, V), `nsp_logits`
        (B, 2), class 0 being "follows"; without heads the first two; with classes `logits` (B, C),
        or by name, or (B, T, C) for each token. Logits are float32.

    Example:
        >>> model = Bert(23, num_layers=1, hidden_dim=8, num_heads=2, intermediate_dim=16)
        >>> {name: output.shape for name, output in model.output.items() if "logits" in name}
        {'mlm_logits': (None, None, 23), 'nsp_logits': (None, 2)}
    """

    def __init__(
        self,
        vocabulary_size: int,
        num_classes: int | dict[str, int] | None = None,
        per_token: bool = False,
        num_layers: int = 12,
        hidden_dim: int = 768,
        num_heads: int = 12,
        intermediate_dim: int = 3072,
        activation: str = "gelu",
        dropout: float = 0.1,
        attention_dropout: float = 0.1,
        max_length: int = 512,
        segments: int = 2,
        epsilon: float = 1e-12,
        dtype: Any = None,
        name: str = "bert",
        **kwargs: Any,
    ) -> None:
        # === Layers ===
        initializer = keras.initializers.TruncatedNormal(stddev=0.02)
        block: dict[str, Any] = {
            "num_heads": num_heads,
            "intermediate_dim": intermediate_dim,
            "activation": activation,
            "dropout": dropout,
            "attention_dropout": attention_dropout,
            "epsilon": epsilon,
        }

        def norm(name: str) -> keras.layers.Layer:
            return keras.layers.LayerNormalization(epsilon=epsilon, dtype=dtype, name=name)

        def dense(
            hidden_dim: int, name: str, activation: str | None = None, dtype: Any = dtype
        ) -> Any:
            return keras.layers.Dense(
                hidden_dim,
                activation,
                kernel_initializer=initializer.clone(),
                dtype=dtype,
                name=name,
            )

        self.hidden_dim, self.max_sequence_length = hidden_dim, max_length
        self.embedding = keras.layers.ReversibleEmbedding(
            vocabulary_size,
            hidden_dim,
            embeddings_initializer=initializer,
            reverse_dtype="float32",
            dtype=dtype,
            name="embedding",
        )
        self.segment_embedding = keras.layers.Embedding(
            segments, hidden_dim, initializer.clone(), dtype=dtype, name="segment_embedding"
        )
        self.positions = LearnedPositions(
            max_length, initializer.clone(), dtype=dtype, name="positions"
        )
        self.norm = norm("norm")
        self.drop = Dropout(dropout, dtype=dtype, name="dropout")
        self.blocks = [
            EncoderBlock(**block, dtype=dtype, name=f"block_{i}") for i in range(num_layers)
        ]
        self.pooler = dense(hidden_dim, "pooler", "tanh")

        # === Config ===
        self._config = {
            **block,
            "vocabulary_size": vocabulary_size,
            "num_classes": num_classes,
            "per_token": per_token,
            "num_layers": num_layers,
            "hidden_dim": hidden_dim,
            "max_length": max_length,
            "segments": segments,
            "dtype": dtype if dtype is None else keras.dtype_policies.get(dtype).name,
        }

        # === Functional model ===
        inputs = bert_inputs()
        x = self.embedding(inputs["token_ids"]) + self.segment_embedding(inputs["segment_ids"])
        x = self.drop(self.norm(self.positions(x)))
        for layer in self.blocks:
            x = layer(x, padding_mask=inputs["padding_mask"])
        pooled = self.pooler(x[:, 0])
        # Logits are float32 under every policy, as the losses are.
        if num_classes is None:
            halves = 2 if activation == "glu" else 1  # of which one gates the other
            self.transform = dense(halves * hidden_dim, "masked_lm_transform")
            self.transform_norm = norm("masked_lm_norm")
            self.bias = Bias(dtype="float32", name="masked_lm_bias")
            self.next_sentence = dense(2, "next_sentence", dtype="float32")
            hidden = self.transform_norm(ACTIVATIONS[activation](self.transform(x)))
            # They are float32 already; the symbolic ones say so only if they are told.
            logits = ops.cast(self.embedding(hidden, reverse=True), "float32")
            outputs = {
                "sequence": x,
                "pooled": pooled,
                "mlm_logits": self.bias(logits),
                "nsp_logits": self.next_sentence(pooled),
            }
        elif isinstance(num_classes, dict):
            self.heads = {
                key: dense(count, f"{key}_logits", dtype="float32")
                for key, count in num_classes.items()
            }
            told_by = self.drop(pooled)
            outputs = {key: head(told_by) for key, head in self.heads.items()}
        elif num_classes == 0:
            outputs = {"sequence": x, "pooled": pooled}
        else:
            self.head = dense(num_classes, "logits", dtype="float32")
            outputs = {"logits": self.head(self.drop(x if per_token else pooled))}
        super().__init__(inputs=inputs, outputs=outputs, name=name, **kwargs)

    @property
    def stages(self) -> list[list[keras.layers.Layer]]:
        """The encoder's layers from the input up: what is embedded, then a block each."""
        embeddings = [self.embedding, self.segment_embedding, self.positions, self.norm]
        return [embeddings, *([block] for block in self.blocks)]

    def inputs_for(self, token_ids: Any, special_tokens: SpecialTokens = OURS) -> Tensors:
        """What the model takes, of padded ids (B, T); each segment ends in an end token.

        What is longer than there are positions, such as more padding than any text needs, is cut.
        """
        token_ids = token_ids[:, : self.max_sequence_length]
        ends = ops.cast(ops.equal(token_ids, special_tokens.end), "int32")
        padding_mask = ops.not_equal(token_ids, special_tokens.pad)
        # A product, as LiteRT cannot look up what was true or false just before.
        behind = ops.minimum(ops.cumsum(ends, axis=1) - ends, 1)
        return {
            "token_ids": token_ids,
            "padding_mask": padding_mask,
            "segment_ids": behind * ops.cast(padding_mask, "int32"),
        }

    def compute_metrics(self, x: Any, y: Any, y_pred: Any, sample_weight: Any = None) -> Any:
        """Of the outputs that have labels: Keras would want labels of all."""
        if isinstance(y, dict):
            y_pred = {name: y_pred[name] for name in y}
        return super().compute_metrics(x, y, y_pred, sample_weight)

    def get_config(self) -> dict[str, Any]:
        return {**self._config, "name": self.name}


def bert_inputs() -> Tensors:
    """Symbolic inputs of an encoder: `token_ids`, `padding_mask` and `segment_ids` (B, T)."""
    dtypes = {"token_ids": "int32", "padding_mask": "bool", "segment_ids": "int32"}
    return {name: keras.Input((None,), dtype=dtype, name=name) for name, dtype in dtypes.items()}
