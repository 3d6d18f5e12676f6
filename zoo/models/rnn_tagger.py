"""A recurrent token tagger."""

from typing import Any

import keras

from zoo.models.cells import recurrent_embedding
from zoo.models.classification_head import ClassificationHead
from zoo.models.recurrent_stack import RecurrentStack


@keras.saving.register_keras_serializable(package="keras_attn")
class RNNTagger(keras.Model):
    """Stacked recurrent layers over a text, and a classification head at every position.

    A synchronous recurrent network: it reads x_t and predicts y_t.

    Source: Graves & Schmidhuber 2005; Huang et al. 2015, section 2.3 (BI-LSTM network).
    Formula: `h_N = RNN_N(... RNN_1(E[x]))`, each layer `[h→; h←]` if bidirectional;
    `logits_t = h_N,t W + b`

    Args:
        vocabulary_size: Number of tokens.
        num_classes: Number of classes C.
        embedding_dim: Width of the embeddings.
        units: Width U of the recurrent states, in each direction.
        num_layers: Number of recurrent layers N.
        cell: "gru", "lstm", "elman", "jordan" or "orthogonal".
        bidirectional: Whether each layer also reads the text backwards. Without it, the tag of a
            token does not depend on later tokens.
        dropout: Dropout rate between layers and before the logits.

    Inputs: `token_ids`, `padding_mask` (B, T).
    Outputs: `logits` (B, T, C), float32.

    Raises:
        ValueError: If cell is unknown.

    Example:
        >>> model = RNNTagger(23, num_classes=3, embedding_dim=8, units=16)
        >>> model.output["logits"].shape
        (None, None, 3)
    """

    def __init__(
        self,
        vocabulary_size: int,
        num_classes: int,
        embedding_dim: int = 100,
        units: int = 100,
        num_layers: int = 1,
        cell: str = "lstm",
        bidirectional: bool = True,
        dropout: float = 0.5,
        dtype: Any = None,
        name: str = "rnn_tagger",
        **kwargs: Any,
    ) -> None:
        # === Layers ===
        self.embedding = recurrent_embedding(vocabulary_size, embedding_dim, dtype, "embedding")
        self.stack = RecurrentStack(cell, units, num_layers, bidirectional, dropout, dtype)
        self.head = ClassificationHead(num_classes, dropout, name="logits")
        self.hidden_dim = units

        # === Config ===
        self._config = {
            "vocabulary_size": vocabulary_size,
            "num_classes": num_classes,
            "embedding_dim": embedding_dim,
            "units": units,
            "num_layers": num_layers,
            "cell": cell,
            "bidirectional": bidirectional,
            "dropout": dropout,
            "dtype": dtype if dtype is None else keras.dtype_policies.get(dtype).name,
        }

        # === Functional model ===
        inputs = {
            "token_ids": keras.Input((None,), dtype="int32", name="token_ids"),
            "padding_mask": keras.Input((None,), dtype="bool", name="padding_mask"),
        }
        x = self.embedding(inputs["token_ids"])
        sequence, _ = self.stack(x, inputs["padding_mask"])
        outputs = {"logits": self.head(sequence)}
        super().__init__(inputs=inputs, outputs=outputs, name=name, **kwargs)

    def get_config(self) -> dict[str, Any]:
        return {**self._config, "name": self.name}
