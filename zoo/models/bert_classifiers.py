"""BERT with classification heads: for texts, for tokens, and for several tasks at once."""

from collections.abc import Sequence
from typing import Any

import keras

from zoo.models.arguments import FromTask, PositiveInt
from zoo.models.bert import Bert, initializer
from zoo.models.classification_head import ClassificationHead
from zoo.models.config import config_of
from zoo.models.task_model import TaskModel


def new_head(backbone: Bert, num_classes: int, name: str) -> ClassificationHead:
    """Creates a head with the dropout rate and the initializer of the backbone."""
    return ClassificationHead(num_classes, backbone.drop.rate, initializer(), name=name)


@keras.saving.register_keras_serializable(package="keras_attn")
class BertTextClassifier(TaskModel):
    """BERT that predicts the class of a text, or of a pair of texts.

    Source: Devlin et al. 2019, section 4.1.
    Formula: `logits = dropout(pooled) W + b`

    Args:
        backbone: The encoder.
        num_classes: Number of classes C.

    Inputs: `token_ids`, `padding_mask`, `segment_ids` (B, T).
    Outputs: `logits` (B, C), float32.

    Example:
        >>> backbone = Bert(23, num_layers=1, hidden_dim=8, num_heads=2, intermediate_dim=16)
        >>> BertTextClassifier(backbone, num_classes=3).output["logits"].shape
        (None, 3)
    """

    def __init__(
        self,
        backbone: Bert,
        num_classes: FromTask[PositiveInt],
        name: str = "bert_text_classifier",
        **kwargs: Any,
    ) -> None:
        self._config = config_of(BertTextClassifier, locals())
        # === Layers ===
        self.backbone = backbone
        self.head = new_head(backbone, num_classes, "logits")

        # === Functional model ===
        outputs = {"logits": self.head(backbone.output["pooled"])}
        super().__init__(inputs=backbone.input, outputs=outputs, name=name, **kwargs)


@keras.saving.register_keras_serializable(package="keras_attn")
class BertTokenClassifier(TaskModel):
    """BERT that predicts the class of each token.

    Source: Devlin et al. 2019, section 5.3.
    Formula: `logits = dropout(x_N) W + b`

    Args:
        backbone: The encoder. Its pooler is not used and not trained, but with `pooler_of_tokens`.
        num_classes: Number of classes C.

    Inputs: `token_ids`, `padding_mask`, `segment_ids` (B, T).
    Outputs: `logits` (B, T, C), float32.

    Example:
        >>> backbone = Bert(23, num_layers=1, hidden_dim=8, num_heads=2, intermediate_dim=16)
        >>> BertTokenClassifier(backbone, num_classes=3).output["logits"].shape
        (None, None, 3)
    """

    def __init__(
        self,
        backbone: Bert,
        num_classes: FromTask[PositiveInt],
        name: str = "bert_token_classifier",
        **kwargs: Any,
    ) -> None:
        self._config = config_of(BertTokenClassifier, locals())
        # === Layers ===
        self.backbone = backbone
        if not backbone.modern.pooler_of_tokens:
            backbone.freeze_pooler()
        self.head = new_head(backbone, num_classes, "logits")

        # === Functional model ===
        outputs = {"logits": self.head(backbone.of_tokens())}
        super().__init__(inputs=backbone.input, outputs=outputs, name=name, **kwargs)


class BertOneTask(TaskModel):
    """BERT with one of the heads of a `BertMultiTask`, whose layers it shares.

    Args:
        backbone: The encoder.
        head: The head.
        logits: The output of the head.

    Outputs: `logits`.
    """

    def __init__(self, backbone: Bert, head: ClassificationHead, logits: Any) -> None:
        self._config: dict[str, Any] = {}
        self.backbone, self.head = backbone, head
        super().__init__(inputs=backbone.input, outputs={"logits": logits}, name="bert_one_task")


@keras.saving.register_keras_serializable(package="keras_attn")
class BertMultiTask(TaskModel):
    """BERT with a head for each of several tasks.

    Source: Liu et al. 2019, section 3.
    Formula: `logits_t = dropout(pooled) W_t + b_t` for each task t, or `dropout(x_N) W_t + b_t`
        for a task that answers for each word

    Args:
        backbone: The encoder, which all tasks share.
        num_classes: Number of outputs C of each task, by its name.
        of_words: The names of the tasks that answer for each word.
        learned_weights: Whether it has a weight `log_variance` (N,), the logarithm of the variance
            of each task, by which the losses of N tasks are weighted; see
            `zoo.training.task_weights`.

    Inputs: `token_ids`, `padding_mask`, `segment_ids` (B, T).
    Outputs: For each task, by its name, logits (B, C), or (B, T, C) for words, in float32.

    Example:
        >>> backbone = Bert(23, num_layers=1, hidden_dim=8, num_heads=2, intermediate_dim=16)
        >>> model = BertMultiTask(backbone, {"mood": 3, "tags": 5}, of_words=["tags"])
        >>> {name: output.shape for name, output in model.output.items()}
        {'mood': (None, 3), 'tags': (None, None, 5)}
    """

    def __init__(
        self,
        backbone: Bert,
        num_classes: FromTask[dict[str, int]],
        of_words: FromTask[Sequence[str]] = (),
        learned_weights: FromTask[bool] = False,
        name: str = "bert_multi_task",
        **kwargs: Any,
    ) -> None:
        self._config = config_of(BertMultiTask, locals())
        # === Layers ===
        self.backbone = backbone
        if not (num_classes.keys() - set(of_words) or backbone.modern.pooler_of_tokens):
            backbone.freeze_pooler()
        self.heads = {
            task: new_head(backbone, count, f"{task}_logits") for task, count in num_classes.items()
        }

        # === Functional model ===
        tokens = backbone.of_tokens() if of_words else None
        outputs = {
            task: head(tokens if task in of_words else backbone.output["pooled"])
            for task, head in self.heads.items()
        }
        super().__init__(inputs=backbone.input, outputs=outputs, name=name, **kwargs)
        self.log_variance: keras.Variable | None = None
        if learned_weights:
            shape = (len(num_classes),)
            self.log_variance = self.add_weight(shape, "zeros", "float32", name="log_variance")

    def one(self, task: str) -> BertOneTask:
        """The model of one of the tasks, which shares all its layers."""
        return BertOneTask(self.backbone, self.heads[task], self.output[task])
