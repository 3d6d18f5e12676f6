"""A recurrent text classifier."""

from typing import Any

import keras

from zoo.models.arguments import FromTask, PositiveInt
from zoo.models.classification_head import ClassificationHead
from zoo.models.config import config_of
from zoo.models.rnn_encoder import RNNEncoder
from zoo.models.task_model import TaskModel


@keras.saving.register_keras_serializable(package="keras_attn")
class RNNClassifier(TaskModel):
    """Stacked recurrent layers over a text, and a classification head on their last states.

    Source: Graves & Schmidhuber 2005 (bidirectional layers); Tai et al. 2015, section 4.1 (the last
    states of both directions).
    Formula: `logits = last W + b`, with `last` of the `RNNEncoder`

    Args:
        backbone: The encoder.
        num_classes: Number of classes C.

    Inputs: `token_ids`, `padding_mask` (B, T).
    Outputs: `logits` (B, C), float32.

    Example:
        >>> model = RNNClassifier(RNNEncoder(23, embedding_dim=8, units=16), num_classes=3)
        >>> model.output["logits"].shape
        (None, 3)
    """

    def __init__(
        self,
        backbone: RNNEncoder,
        num_classes: FromTask[PositiveInt],
        name: str = "rnn_classifier",
        **kwargs: Any,
    ) -> None:
        self._config = config_of(RNNClassifier, locals())
        # === Layers ===
        self.backbone = backbone
        self.head = ClassificationHead(num_classes, backbone.drop.rate, name="logits")

        # === Functional model ===
        outputs = {"logits": self.head(backbone.output["last"])}
        super().__init__(inputs=backbone.input, outputs=outputs, name=name, **kwargs)
