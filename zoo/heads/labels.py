"""Several labels as answers: each row has any number of the classes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import keras
import numpy as np
from keras import ops

from zoo.data.batching.padded_columns import NO_LABEL
from zoo.errors import UserError
from zoo.lines import LABELS, SEPARATOR, to_lines
from zoo.option_names import option_name
from zoo.preprocessing.base import Features
from zoo.serving.inference import OutputAxes, Tensors
from zoo.text.form import TextForm, joined
from zoo.training.multi_label import MaskedMicroF1, MaskedSigmoidCrossentropy
from zoo.training.objective import Objective
from zoo.training.score_scaling import ScoreScaling

THRESHOLD = 0.5  # of the probability from which a label is predicted


@dataclass(frozen=True)
class LabelsHead:
    """Any number of labels for each row, those that are probable; a `zoo.heads.head.Head`.

    Formula: `scores = sigmoid(logits)`, `labels = scores >= threshold`

    Args:
        labels: The labels in class order.
        rows: What the rows are: "batch", or "nodes" of a graph.
        threshold: The probability from which a label is predicted.

    Example:
        >>> head = LabelsHead(["cheap", "good", "near"])
        >>> outputs = head.outputs(ops.convert_to_tensor([[3.0, -1.0, 2.0]]))
        >>> head.names(ops.convert_to_numpy(outputs["scores"]))
        [['cheap', 'near']]
    """

    labels: list[str]
    rows: str = "batch"
    threshold: float = THRESHOLD

    @property
    def axes(self) -> OutputAxes:
        classes = (self.rows, len(self.labels))
        return {"scores": classes, "labels": classes}

    @property
    def meanings(self) -> dict[str, str]:
        row = "node" if self.rows == "nodes" else "row"
        return {
            "scores": f"the probability of each label for each {row}, in the order of {LABELS}",
            "labels": f"1 for each label of the {row} whose probability is at least "
            f"{self.threshold:.4g}, otherwise 0, in the order of {LABELS}",
            "text": f"the labels, with {SEPARATOR} between them",
        }

    @property
    def files(self) -> dict[str, str]:
        return {LABELS: to_lines(self.labels)}

    def loss(self, smoothing: float = 0.0) -> keras.losses.Loss:
        """The loss of logits and of 0 and 1 (B, C); rows without labels do not count.

        Args:
            smoothing: Not used: it is for one label.
        """
        return MaskedSigmoidCrossentropy(NO_LABEL)

    def balanced(self, classes: np.ndarray) -> "LabelsHead":
        """Raises a `UserError`: the formula of the weights is for one label of each row."""
        raise UserError(
            f"{option_name('class_weight')} is for inputs with one label each, not for several"
        )

    def focal(self, gamma: float) -> "LabelsHead":
        """Raises a `UserError`: the loss is for one label of each row."""
        raise UserError("focal loss is for inputs with one label each, not for several")

    def scaled(self, scaling: ScoreScaling) -> "LabelsHead":
        """A head with the threshold of a trained model, if it was tuned."""
        return self if scaling.threshold is None else replace(self, threshold=scaling.threshold)

    def metric(self) -> keras.metrics.Metric:
        """The metric of logits that selects the best epoch, higher is better."""
        return MaskedMicroF1(NO_LABEL)

    @property
    def prior(self) -> tuple[float, ...]:
        """Nothing: each label is as probable as the model says."""
        return ()

    def outputs(self, logits: Any, known: Any = None) -> Tensors:
        scores = ops.sigmoid(logits)
        return {"scores": scores, "labels": ops.cast(scores >= self.threshold, "int32")}

    def postprocess(self, outputs: Tensors, features: Features, form: TextForm) -> Tensors:
        """The outputs and, of the rows of a batch, their labels as text."""
        if self.rows != "batch":
            return outputs
        return {**outputs, **joined(self.labels, SEPARATOR, outputs["labels"], form)}

    def result(self, row: Mapping[str, Any]) -> list[str]:
        return [self.labels[c] for c in np.flatnonzero(row["labels"])]

    def text(self, result: Sequence[str]) -> str:
        return SEPARATOR.join(result)

    def names(self, scores: np.ndarray) -> list[list[str]]:
        """The labels that are probable, for each row of probabilities (B, C)."""
        return [[self.labels[c] for c in np.flatnonzero(row)] for row in scores >= self.threshold]

    def objective(self, smoothing: float = 0.0) -> Objective:
        """Binary cross-entropy, summed over the labels, and micro F1 of the output `logits`."""
        return Objective(
            loss={"logits": self.loss()},
            metrics={"logits": [self.metric()]},
            monitor="val_micro_f1",
            mode="max",
            loss_weights={"logits": float(len(self.labels))},
        )
