"""The interface of models that return attention maps."""

from collections.abc import Iterable
from typing import Any

import keras

from zoo.models.option_groups import arguments

Tensors = dict[str, Any]
PARTS = ENCODER, DECODER, CROSS = ("encoder", "decoder", "cross")
WORDS, SENTENCES = "words", "sentences"  # of a document
EDGES = "edges"  # of a graph


class Attending(keras.Model):
    """A model with attention weights to show, by part.

    "encoder" is the self-attention of an encoder, "decoder" the causal self-attention of a decoder,
    "cross" the attention of a decoder to the encoder, and "edges" the attention of the nodes of a
    graph along its edges. A model of documents has "words", which are pooled into sentences, and
    "sentences", which are pooled into the document.
    """

    # The mean of the penalty of the attention weights in training, for the log, if there is one.
    head_diversity: keras.metrics.Mean | None = None

    @property
    def attention_layers(self) -> dict[str, int]:
        """Number of layers of each part; without parts for a model that shows no attention."""
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
        loss = super().compute_loss(x, y, y_pred, sample_weight, training)
        if training and self.head_diversity is not None:
            self.head_diversity.update_state(sum(self.losses))
        return loss

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> "Attending":
        return cls(**arguments(cls, config))


def attention_layers(model: Any) -> dict[str, int]:
    """Number of layers of each part that a model can show; empty if it shows no attention.

    Example:
        >>> from zoo.models.create import create_model
        >>> sizes = {"num_layers": 2, "hidden_dim": 8, "num_heads": 2, "intermediate_dim": 8}
        >>> attention_layers(create_model("gpt", vocabulary_size=23, **sizes))
        {'decoder': 2}
    """
    return model.attention_layers if isinstance(model, Attending) else {}


def read_blocks(
    blocks: Iterable[Any], x: Any, with_maps: bool = False, **masks: Any
) -> tuple[Any, list[Any]]:
    """Runs encoder blocks on top of each other.

    Args:
        blocks: The `EncoderBlock`s.
        x: Input of the first block, (B, T, D).
        with_maps: Whether to return attention weights.
        **masks: Masks of the blocks.

    Outputs: (B, T, D), and with `with_maps` the attention weights (B, H, T, T) of each block.
    """
    maps = []
    for block in blocks:
        x = block(x, return_attention_scores=with_maps, **masks)
        if with_maps:
            x, weights = x
            maps.append(weights)
    return x, maps
