"""Base class of models that extend a backbone with the outputs of a task."""

from typing import Any

import keras

from zoo.models.zoo_model import Tensors, ZooModel


class TaskModel(ZooModel):
    """A backbone and the layers that a task adds to it, as one functional model.

    The layers of the backbone are layers of this model as well, with the same names, so that models
    for different tasks can exchange weights by layer name.

    Subclasses take the backbone as their first argument, set `backbone` and `_config` (their other
    options), and build a functional model on the backbone's inputs.
    """

    backbone: ZooModel

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.hidden_dim: int = self.backbone.hidden_dim
        self.max_sequence_length: int | None = self.backbone.max_sequence_length
        super().__init__(*args, **kwargs)
        if self.backbone.head_diversity is not None:
            # Keras leaves out the metrics of models inside of models.
            self.head_diversity = keras.metrics.Mean(name=self.backbone.head_diversity.name)

    @property
    def word_embeddings(self) -> list[keras.layers.Layer]:
        return self.backbone.word_embeddings

    @property
    def scales_word_vectors(self) -> bool:
        return self.backbone.scales_word_vectors

    @property
    def layer_groups(self) -> list[list[keras.layers.Layer]]:
        """The layers of the backbone from the input up; the task's own layers are in no group."""
        groups: list[list[keras.layers.Layer]] = self.backbone.layer_groups
        return groups

    @property
    def own_layers(self) -> list[keras.layers.Layer]:
        """The layers that the task adds to the backbone."""
        shared = {id(layer) for layer in self.backbone.layers}
        return [layer for layer in self.layers if layer.weights and id(layer) not in shared]

    @property
    def attention_layers(self) -> dict[str, int]:
        return self.backbone.attention_layers

    def attention_maps(self, inputs: Tensors) -> dict[str, list[Any]]:
        return self.backbone.attention_maps(inputs)

    def get_config(self) -> dict[str, Any]:
        backbone = keras.saving.serialize_keras_object(self.backbone)
        return {"backbone": backbone, **self._config, "name": self.name}

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> "TaskModel":
        backbone = keras.saving.deserialize_keras_object(config["backbone"])
        return cls(**{**config, "backbone": backbone})
