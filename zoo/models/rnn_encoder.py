"""The encoder of the recurrent classifier and of the recurrent tagger."""

from typing import Any

import keras
from keras import ops

from keras_attn.dropout import Dropout
from zoo.models.arguments import FromTask, PositiveInt, Rate
from zoo.models.cells import recurrent_embedding, recurrent_layer
from zoo.models.config import config_of
from zoo.models.token_inputs import token_inputs
from zoo.models.zoo_model import ZooModel


@keras.saving.register_keras_serializable(package="keras_attn")
class RNNEncoder(ZooModel):
    """Token embeddings and stacked recurrent layers, in one direction or in both.

    `RNNClassifier` and `RNNTagger` extend it with the outputs of a task.

    Source: Graves & Schmidhuber 2005 (bidirectional layers).
    Formula: `h_N = RNN_N(... RNN_1(E[x]))`, each layer `[h→; h←]` if bidirectional;
    `last = [h→_T; h←_1]`

    Args:
        vocabulary_size: Number of tokens.
        embedding_dim: Width of the embeddings.
        units: Width U of the recurrent states, in each direction.
        num_layers: Number of recurrent layers N.
        cell: "gru", "lstm", "elman", "jordan" or "orthogonal".
        bidirectional: Whether each layer also reads the text backwards.
        dropout: Dropout rate of the input of each layer, and before the logits.
        truncate: Number of steps of truncated backpropagation through time; see `RNN`.

    Inputs: `token_ids`, `padding_mask` (B, T).
    Outputs: `sequence` (B, T, W), the outputs of the highest layer, and `last` (B, W), that of each
        direction for the last token it reads; W is U, or 2 U for both directions.

    Raises:
        ValueError: If cell is unknown.

    Example:
        >>> model = RNNEncoder(23, embedding_dim=8, units=16)
        >>> {name: output.shape for name, output in model.output.items()}
        {'sequence': (None, None, 32), 'last': (None, 32)}
    """

    def __init__(
        self,
        vocabulary_size: FromTask[PositiveInt],
        embedding_dim: PositiveInt = 300,
        units: PositiveInt = 300,
        num_layers: PositiveInt = 2,
        cell: str = "gru",
        bidirectional: bool = True,
        dropout: Rate = 0.5,
        truncate: PositiveInt | None = None,
        dtype: Any = None,
        name: str = "rnn_encoder",
        **kwargs: Any,
    ) -> None:
        self._config = config_of(RNNEncoder, locals())

        # === Layers ===
        def recurrent(name: str, **options: Any) -> keras.layers.Layer:
            options |= {"return_state": True, "truncate": truncate}
            return recurrent_layer(cell, units, dtype, name=name, **options)

        self.embedding = recurrent_embedding(vocabulary_size, embedding_dim, dtype, "embedding")
        self.forwards = [recurrent(f"forward_{i}") for i in range(num_layers)]
        self.backwards = []
        if bidirectional:
            self.backwards = [
                recurrent(f"backward_{i}", go_backwards=True) for i in range(num_layers)
            ]
        self.drop = Dropout(dropout, dtype=dtype, name="dropout")
        self.hidden_dim = units

        # === Functional model ===
        inputs = token_inputs()
        mask = inputs["padding_mask"]
        x = self.embedding(inputs["token_ids"])
        for i, forward in enumerate(self.forwards):
            x = self.drop(x)
            onward, last, *_ = forward(x, mask=mask)
            if self.backwards:
                back, first, *_ = self.backwards[i](x, mask=mask)
                onward = ops.concatenate([onward, ops.flip(back, axis=1)], axis=-1)
                last = ops.concatenate([last, first], axis=-1)
            x = onward
        outputs = {"sequence": x, "last": last}
        super().__init__(inputs=inputs, outputs=outputs, name=name, **kwargs)

    @property
    def word_embeddings(self) -> list[keras.layers.Layer]:
        return [self.embedding]

    @property
    def layer_groups(self) -> list[list[keras.layers.Layer]]:
        """The layers from the input up: the embeddings, then one group for each recurrent layer.

        `freeze` counts these groups, and `layer_decay` lowers the learning rate from one to the
        next.
        """
        directions = [self.forwards, self.backwards] if self.backwards else [self.forwards]
        return [[self.embedding], *map(list, zip(*directions, strict=True))]
