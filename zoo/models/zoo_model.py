"""The base class of the models of the zoo."""

from typing import Any

import keras

from zoo.models.option_groups import arguments

Tensors = dict[str, Any]


class ZooModel(keras.Model):
    """A model of the zoo: its config, its limits, and the attention weights that it can show.

    Subclasses set `_config` by `config_of`, and build a functional model.
    """

    _config: dict[str, Any]
    max_sequence_length: int | None = None  # of the tokens of an input; None for no limit
    # The mean of the penalty of the attention weights in training, for the log, if there is one.
    head_diversity: keras.metrics.Mean | None = None

    @property
    def word_embeddings(self) -> list[keras.layers.Layer]:
        """The embeddings that may start from word vectors; empty if there are none."""
        return []

    @property
    def scales_word_vectors(self) -> bool:
        """Whether word vectors get the scale that embeddings have here.

        It matters where positions are added to them, or logits are computed with them.
        """
        return False

    @property
    def attention_layers(self) -> dict[str, int]:
        """Number of layers of each part with attention weights; empty if it shows none.

        "encoder" is the self-attention of an encoder, "decoder" the causal self-attention of a
        decoder, "cross" the attention of a decoder to the encoder, and "edges" the attention of the
        nodes of a graph along its edges. A model of documents has "words", which are pooled into
        sentences, and "sentences", which are pooled into the document.

        Example:
            >>> from zoo.models.create import create_model
            >>> sizes = {"num_layers": 2, "hidden_dim": 8, "num_heads": 2, "intermediate_dim": 8}
            >>> create_model("gpt", vocabulary_size=23, **sizes).attention_layers
            {'decoder': 2}
        """
        return {}

    def attention_maps(self, inputs: Tensors) -> dict[str, list[Any]]:
        """The attention weights of every layer.

        Args:
            inputs: The inputs of the model.

        Outputs: For each part, a tensor (B, H, T, S) for each layer; of "edges" see `GAT`.
        """
        raise NotImplementedError

    def compute_loss(
        self,
        x: Any = None,
        y: Any = None,
        y_pred: Any = None,
        sample_weight: Any = None,
        training: bool = True,
    ) -> Any:
        if isinstance(y, dict) and isinstance(y_pred, dict) and y.keys() - y_pred.keys():
            raise ValueError(
                f"{self.name} has the outputs {', '.join(y_pred)}, and no "
                f"{', '.join(sorted(y.keys() - y_pred.keys()))}: name the targets like the outputs"
            )
        loss = super().compute_loss(x, y, y_pred, sample_weight, training)
        if training and self.head_diversity is not None:
            self.head_diversity.update_state(sum(self.losses))
        return loss

    def test_step(self, *args: Any) -> Any:
        """As in Keras, without the penalty of the attention weights, which only training has."""
        result = super().test_step(*args)
        logs = result[0] if isinstance(result, tuple) else result  # JAX returns its state, too
        if self.head_diversity is not None:
            del logs[self.head_diversity.name]
        return result

    def get_config(self) -> dict[str, Any]:
        return {**self._config, "name": self.name}

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> "ZooModel":
        return cls(**arguments(cls, config))
