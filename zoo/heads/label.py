"""Labels as answers: each row has one of several classes."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import keras
import numpy as np
from keras import ops

from keras_attn.metrics.token import MaskedAccuracy
from zoo.data.batching.padded_columns import NO_LABEL
from zoo.errors import UserError
from zoo.lines import LABELS, LINE_BREAK, NONE, to_lines
from zoo.preprocessing.base import Features
from zoo.serving.inference import OutputAxes, Tensors
from zoo.serving.unknown import UNKNOWN
from zoo.text.form import TextForm, chosen
from zoo.training.class_loss import BalancedAccuracy, ClassCrossentropy, balanced_weights
from zoo.training.objective import Objective
from zoo.training.score_scaling import ScoreScaling


@dataclass(frozen=True)
class LabelHead:
    """One label for each row, the most probable one; a `zoo.heads.head.Head`.

    Source: Guo et al. 2017, section 4.2 (temperature).
    Formula: `scores = softmax(logits / temperature)`, `class_id = argmax scores`, or -1 if
        `max scores < threshold`

    Args:
        labels: The labels in class order.
        rows: What the rows are: "batch", or "nodes" of a graph.
        temperature: What logits are divided by; see `zoo.training.calibration`.
        prior: The share of each label in the training data; empty if it is unknown.
        class_weights: The weight of each label in the loss; 1 if there are none.
        threshold: The probability below which the answer is none of the labels.
        other: The text of that answer.
        gamma: The focusing parameter of focal loss; with 0 the loss is cross-entropy.

    Example:
        >>> head = LabelHead(["bad", "good"])
        >>> outputs = head.outputs(ops.convert_to_tensor([[0.0, 2.0]]))
        >>> head.names(ops.convert_to_numpy(outputs["scores"]))
        ['good']
    """

    labels: list[str]
    rows: str = "batch"
    temperature: float = 1.0
    prior: tuple[float, ...] = ()
    class_weights: tuple[float, ...] = ()
    threshold: float = 0.0
    other: str = ""
    gamma: float = 0.0

    @property
    def axes(self) -> OutputAxes:
        return {"scores": (self.rows, len(self.labels)), "class_id": (self.rows,)}

    @property
    def meanings(self) -> dict[str, str]:
        of_each = " of each node" if self.rows == "nodes" else ""
        none = f"; {NONE} if none is probable enough" if self.threshold else ""
        unknown = "; of a text without known tokens the shares of the labels in the training data"
        mark = {UNKNOWN: "1 where the text has no known token, such as an empty text; else 0"}
        unknown, mark = (unknown, mark) if self.prior else ("", {})
        return {
            "scores": f"the probability of each label{of_each}, in the order of {LABELS}{unknown}",
            "class_id": f"the most probable label{of_each}: its line in {LABELS}, from 0{none}",
            "text": "the most probable label"
            + (f"; {self.other!r} if none is probable enough" if self.threshold else ""),
            **mark,
        }

    @property
    def files(self) -> dict[str, str]:
        return {LABELS: to_lines(self.labels)}

    def objective(self, smoothing: float = 0.0) -> Objective:
        """Cross-entropy and accuracy of the output `logits`."""
        metrics = [MaskedAccuracy(NO_LABEL, name="accuracy")]
        if self.class_weights:
            metrics.append(self.metric())
        return Objective(
            loss={"logits": self.loss(smoothing)},
            metrics={"logits": metrics},
            monitor=f"val_{metrics[-1].name}",
            mode="max",
        )

    def loss(self, smoothing: float = 0.0) -> keras.losses.Loss:
        """The loss of logits (B, C) and class numbers (B,); rows without a label do not count."""
        return ClassCrossentropy(smoothing, self.gamma, self.class_weights)

    def balanced(self, classes: np.ndarray) -> "LabelHead":
        """A head in whose loss each label has the same part in all; see `balanced_weights`."""
        counts = np.bincount(classes, minlength=len(self.labels))
        return replace(self, class_weights=balanced_weights(counts))

    def focal(self, gamma: float) -> "LabelHead":
        """A head with focal loss."""
        return replace(self, gamma=gamma)

    def scaled(self, scaling: ScoreScaling) -> "LabelHead":
        """A head with the temperature and the prior of a trained model."""
        return replace(self, temperature=scaling.temperature, prior=scaling.prior)

    def metric(self) -> keras.metrics.Metric:
        """The metric of logits that selects the best epoch, higher is better."""
        if self.class_weights:
            return BalancedAccuracy(self.class_weights)
        return MaskedAccuracy(NO_LABEL, name="accuracy")

    def outputs(self, logits: Any, known: Any = None) -> Tensors:
        """The scores and the best class.

        Args:
            logits: Logits (B, C).
            known: (B, 1): 1, or 0 for rows in which the model knows nothing: their scores are the
                prior. If None, or without a prior, it is 1.
        """
        if self.temperature != 1:
            logits = logits * (1 / self.temperature)
        scores = ops.softmax(logits, axis=-1)
        if known is not None and self.prior:
            scores = known * scores + (1 - known) * ops.array([self.prior], "float32")
        return class_scores(scores, self.threshold)

    def postprocess(self, outputs: Tensors, features: Features, form: TextForm) -> Tensors:
        if not self.threshold:
            return {**outputs, **chosen(self.labels, outputs["class_id"], form)}
        return {**outputs, **chosen([self.other, *self.labels], outputs["class_id"] + 1, form)}

    def result(self, row: Mapping[str, Any]) -> str:
        return row["text"].decode()

    def text(self, result: str) -> str:
        return result

    def names(self, scores: np.ndarray) -> list[str]:
        """The most probable label of each row of probabilities (B, C), if it is probable enough."""
        best = [self.labels[place] for place in scores.argmax(axis=-1)]
        sure = scores.max(axis=-1, initial=0) >= self.threshold
        return [label if known else self.other for label, known in zip(best, sure, strict=True)]


def label_objective(
    heads: Mapping[str, LabelHead],
    smoothing: float,
    monitor: str = "val_accuracy",
    weights: Mapping[str, float] | None = None,
) -> Objective:
    """Cross-entropy and accuracy of labels.

    Args:
        heads: The head of each output of the model, by name.
        smoothing: Label smoothing factor.
        monitor: The value that selects the best epoch, higher is better.
        weights: Factors of the losses, by name of the output.
    """
    return Objective(
        loss={name: head.loss(smoothing) for name, head in heads.items()},
        metrics={name: [head.metric()] for name, head in heads.items()},
        monitor=monitor,
        mode="max",
        loss_weights=None if weights is None else dict(weights),
    )


def labels_of(present: Iterable[str], given: list[str] | None, what: str, path: str) -> list[str]:
    """Returns the given labels, or else the sorted labels of the data.

    Args:
        present: The labels of all rows of the data.
        given: The given labels, or None.
        what: "label" or "tag", for error messages.
        path: Path of the data, for error messages.

    Raises:
        UserError: If there are fewer than two labels, or one has a line break.
    """
    if given is not None:
        if len(given) < 2:
            raise UserError(f"labels must name at least two {what}s, got {given}")
        return _of_one_line([str(label) for label in given], what, path)
    labels = _of_one_line(sorted(set(present)), what, path)
    if len(labels) < 2:
        raise UserError(
            f"{path} has only one {what}, {labels[0]!r}; classification needs at least two"
        )
    return labels


def _of_one_line(labels: list[str], what: str, path: str) -> list[str]:
    """The labels, which files beside artifacts hold a line each."""
    broken = next(filter(LINE_BREAK.search, labels), None)
    if broken is not None:
        raise UserError(
            f"{path}: the {what} {broken!r:.80} has a line break, which a file with a {what} in "
            "each line cannot hold: replace it"
        )
    return labels


def class_scores(scores: Any, threshold: float = 0.0) -> Tensors:
    """Adds the most probable class to probabilities (..., C), or -1 below the threshold."""
    # Not argmax, which needs an operator that LiteRT lacks.
    highest, best = ops.top_k(scores, 1)
    class_id = ops.cast(ops.squeeze(best, -1), "int32")
    if threshold:
        class_id = ops.where(ops.squeeze(highest, -1) >= threshold, class_id, NONE)
    return {"scores": scores, "class_id": class_id}
