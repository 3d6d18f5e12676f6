"""A recurrent token tagger."""

from typing import Any

import keras

from zoo.models.arguments import FromTask, PositiveInt
from zoo.models.classification_head import ClassificationHead
from zoo.models.config import config_of
from zoo.models.rnn_encoder import RNNEncoder
from zoo.models.task_model import TaskModel


@keras.saving.register_keras_serializable(package="keras_attn")
class RNNTagger(TaskModel):
    """Stacked recurrent layers over a text, and a classification head at every position.

    A synchronous recurrent network: it reads x_t and predicts y_t. If it reads in one direction
    only, a tag does not depend on later tokens.

    Source: Graves & Schmidhuber 2005; Huang et al. 2015, section 2.3 (bidirectional LSTM).
    Formula: `logits_t = sequence_t W + b`, with `sequence` of the `RNNEncoder`

    Args:
        backbone: The encoder.
        num_classes: Number of classes C.

    Inputs: `token_ids`, `padding_mask` (B, T).
    Outputs: `logits` (B, T, C), float32.

    Example:
        >>> model = RNNTagger(RNNEncoder(23, embedding_dim=8, units=16), num_classes=3)
        >>> model.output["logits"].shape
        (None, None, 3)
    """

    def __init__(
        self,
        backbone: RNNEncoder,
        num_classes: FromTask[PositiveInt],
        name: str = "rnn_tagger",
        **kwargs: Any,
    ) -> None:
        self._config = config_of(RNNTagger, locals())
        # === Layers ===
        self.backbone = backbone
        self.head = ClassificationHead(num_classes, backbone.drop.rate, name="logits")

        # === Functional model ===
        outputs = {"logits": self.head(backbone.output["sequence"])}
        super().__init__(inputs=backbone.input, outputs=outputs, name=name, **kwargs)
