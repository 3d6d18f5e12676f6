"""The objective and the metrics of tasks that predict tokens."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from keras import ops

from keras_attn.losses import MaskedCrossentropy
from keras_attn.metrics.token import MaskedAccuracy, Perplexity
from zoo.metrics.tokens import TokenRows
from zoo.preprocessing.base import Features, TensorSpec
from zoo.serving.inference import Inference, OutputAxes, Tensors
from zoo.training.objective import Objective
from zoo.training.token_count import TokenCount

SCORE = "score"  # name of the signature
TOKEN_SCORES = {  # what it returns, in words
    "log_probabilities": "the log-probability of each token, in nats; 0 where there is none",
    "predicted_ids": "the most probable token in the place of each",
}


def token_scores(logits: Any, labels: Any, counted: Any) -> Tensors:
    """The log-probability of each label, and the most probable token, in `keras.ops`.

    Args:
        logits: Tensor (B, T, V).
        labels: int32 tensor (B, T).
        counted: bool tensor (B, T), True where there is a label.

    Returns:
        `log_probabilities` (B, T), float32, in nats, 0 where there is no label, and
        `predicted_ids` (B, T).
    """
    log_p = ops.log_softmax(ops.cast(logits, "float32"), axis=-1)
    indices = ops.expand_dims(ops.maximum(labels, 0), -1)
    _, best = ops.top_k(log_p, 1)  # not argmax, which needs an operator that LiteRT lacks
    of_labels = ops.squeeze(ops.take_along_axis(log_p, indices, axis=-1), -1)
    return {
        "log_probabilities": ops.where(counted, of_labels, 0.0),
        "predicted_ids": ops.cast(ops.squeeze(best, -1), "int32"),
    }


def score_inference(
    features: Mapping[str, TensorSpec],
    prepare: Callable[[Features], tuple[Tensors, Any]],
    compute: Callable[[Tensors, Any], Tensors],
    outputs: OutputAxes,
) -> Inference:
    """Creates an inference that scores labels, which are among the features.

    Args:
        features: Spec of each feature.
        prepare: Function from features to inputs of the model and labels, in TensorFlow operators.
        compute: Function from inputs of the model and labels to scores, in `keras.ops`.
        outputs: Axes of each output; see `Inference`.
    """

    def prepare_both(features: Features) -> Tensors:
        inputs, labels = prepare(features)
        return {**inputs, "labels": labels}

    def compute_both(inputs: Tensors) -> Tensors:
        inputs = dict(inputs)
        return compute(inputs, inputs.pop("labels"))

    return Inference(features, prepare_both, compute_both, outputs)


@dataclass
class Likelihood:
    """Running loss, perplexity and accuracy of predicted tokens.

    Example:
        >>> likelihood = Likelihood()
        >>> likelihood.add(np.log([[0.5, 0.25]]), np.array([[7, 8]]), np.array([[7, 9]]), True)
        >>> round(likelihood.loss, 4), likelihood.accuracy
        (1.0397, 0.5)
    """

    _rows: list[np.ndarray] = field(default_factory=list)  # of each batch, (B, 3)

    def add(self, log_p: Any, predicted: Any, labels: Any, counted: Any) -> None:
        """Adds a batch.

        Args:
            log_p: Log-probability of each label, in nats.
            predicted: The most probable token at the position of each label.
            labels: The labels.
            counted: bool, True where there is a label to predict.
        """
        counted = np.broadcast_to(counted, np.shape(labels))
        nats = -np.where(counted, np.asarray(log_p, "float64"), 0).sum(axis=1)
        right = ((predicted == labels) & counted).sum(axis=1)
        self._rows.append(np.stack([nats, counted.sum(axis=1), right], axis=1))

    @property
    def rows(self) -> TokenRows:
        """The sums of each row."""
        return TokenRows(*np.concatenate([np.zeros((0, 3)), *self._rows]).T)

    @property
    def tokens(self) -> int:
        """The number of tokens."""
        return int(self.rows.tokens.sum())

    @property
    def loss(self) -> float:
        """Cross-entropy in nats per token."""
        return float(self.rows.nats.sum()) / max(self.tokens, 1)

    @property
    def perplexity(self) -> float:
        """The exponential of the loss."""
        return float(np.exp(min(self.loss, 700.0)))

    @property
    def accuracy(self) -> float:
        """Fraction of tokens predicted correctly."""
        return float(self.rows.correct.sum()) / max(self.tokens, 1)


def token_objective(pad: int, label_smoothing: float = 0.0) -> Objective:
    """Cross-entropy of the output `logits`. The best epoch has the lowest validation perplexity.

    Args:
        pad: Id of padding, which is not counted.
        label_smoothing: Label smoothing.
    """
    return Objective(
        loss={"logits": MaskedCrossentropy(label_smoothing, ignore_id=pad)},
        metrics={"logits": [Perplexity(pad), MaskedAccuracy(pad), TokenCount(pad)]},
        monitor="val_perplexity",
    )
