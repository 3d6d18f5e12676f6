"""A recurrent text classifier."""

from typing import Any

import keras

from zoo.models.cells import recurrent_embedding
from zoo.models.classification_head import ClassificationHead
from zoo.models.recurrent_stack import RecurrentStack


@keras.saving.register_keras_serializable(package="keras_attn")
class RNNClassifier(keras.Model):
    """Stacked recurrent layers over a text, and a classification head on their last states.

    Source: Graves & Schmidhuber 2005 (bidirectional layers); Tai et al. 2015, section 4.1 (the last
    states of both directions).
    Formula: `h_N = RNN_N(... RNN_1(E[x]))`, each layer `[h→; h←]` if bidirectional;
    `logits = [h→_T; h←_1] W + b`

    Args:
        vocabulary_size: Number of tokens.
        num_classes: Number of classes C.
        embedding_dim: Width of the embeddings.
        units: Width U of the recurrent states, in each direction.
        num_layers: Number of recurrent layers N.
        cell: "gru", "lstm", "elman", "jordan" or "orthogonal".
        bidirectional: Whether each layer also reads the text backwards.
        dropout: Dropout rate between layers and before the logits.

    Inputs: `token_ids`, `padding_mask` (B, T).
    Outputs: `logits` (B, C), float32.

    Raises:
        ValueError: If cell is unknown.

    Example:
        >>> model = RNNClassifier(23, num_classes=3, embedding_dim=8, units=16)
        >>> model.output["logits"].shape
        (None, 3)
    """

    def __init__(
        self,
        vocabulary_size: int,
        num_classes: int,
        embedding_dim: int = 300,
        units: int = 300,
        num_layers: int = 2,
        cell: str = "gru",
        bidirectional: bool = True,
        dropout: float = 0.5,
        dtype: Any = None,
        name: str = "rnn_classifier",
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
        _, last = self.stack(x, inputs["padding_mask"])
        outputs = {"logits": self.head(last)}
        super().__init__(inputs=inputs, outputs=outputs, name=name, **kwargs)

    def get_config(self) -> dict[str, Any]:
        return {**self._config, "name": self.name}
