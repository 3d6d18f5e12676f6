"""The protocols of heads: how the outputs of a model become answers, and how these are scored."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, Self

import keras
import numpy as np

from zoo.preprocessing.base import Features, TensorSpec
from zoo.serving.inference import Inference, OutputAxes, Tensors
from zoo.text.form import TextForm
from zoo.training.objective import Objective
from zoo.training.score_scaling import ScoreScaling


@dataclass(frozen=True)
class Reader:
    """How a model reads features.

    Args:
        name: Name of the signature that takes the features.
        features: Spec of each feature.
        prepare: Function from features to the inputs of the model, in TensorFlow operators.
    """

    name: str
    features: Mapping[str, TensorSpec]
    prepare: Callable[[Features], Tensors]


class Head(Protocol):
    """One kind of answer, such as a label, for every task that gives it.

    A head has the values that its answers depend on, such as the labels, and no model.
    `postprocess` is part of the graph of an artifact that answers in text; `result` and `text` run
    in Python.
    """

    @property
    def meanings(self) -> dict[str, str]:
        """What each output of an artifact is, in words, by name."""

    @property
    def files(self) -> dict[str, str]:
        """Files that belong beside an artifact, such as the labels: their content by name."""

    def postprocess(self, outputs: Tensors, features: Features, form: TextForm) -> Tensors:
        """Converts the outputs of the model to predictions, in TensorFlow operators.

        Args:
            outputs: Outputs of the model, by name.
            features: The features.
            form: The form of texts.
        """

    def result(self, row: Mapping[str, Any]) -> Any:
        """The answer for one row, from the outputs of `postprocess` for that row."""

    def text(self, result: Any) -> str:
        """An answer as text, for reports."""


class LogitsHead(Head, Protocol):
    """An answer that follows from the output `logits` of a model: labels, or values."""

    @property
    def axes(self) -> OutputAxes:
        """The axes of each of the `outputs`, by name."""

    def outputs(self, logits: Any) -> Tensors:
        """The outputs of the model from its logits (B, C), in `keras.ops`."""


class ClassHead(LogitsHead, Protocol):
    """An answer that consists of classes: `LabelHead` and `LabelsHead`."""

    @property
    def labels(self) -> list[str]:
        """The labels in class order."""

    @property
    def prior(self) -> tuple[float, ...]:
        """The scores of rows of which a model knows nothing; empty if these are as any other."""

    def outputs(self, logits: Any, known: Any = None) -> Tensors:
        """The outputs of the model from its logits (B, C), in `keras.ops`.

        Args:
            logits: The logits.
            known: (B, 1): 1, or 0 for rows that get the `prior` if there is one; None for none.
        """

    def balanced(self, classes: np.ndarray) -> Self:
        """A head in whose loss each label has the same part in all.

        Args:
            classes: The class numbers of all rows of the training data.

        Raises:
            UserError: If a row can have several labels.
        """

    def focal(self, gamma: float) -> Self:
        """A head with focal loss.

        Raises:
            UserError: If a row can have several labels.
        """

    def scaled(self, scaling: ScoreScaling) -> Self:
        """A head whose scores are scaled as those of a trained model."""

    def objective(self, smoothing: float = 0.0) -> Objective:
        """Loss and metrics of the output `logits`.

        Args:
            smoothing: Label smoothing factor of the loss of one label.
        """

    def loss(self, smoothing: float = 0.0) -> keras.losses.Loss:
        """The loss of logits; rows without a label do not count."""

    def metric(self) -> keras.metrics.Metric:
        """The metric of logits that selects the best epoch, higher is better."""

    def names(self, scores: np.ndarray) -> list[Any]:
        """The answer for each row of probabilities (B, C)."""


def inferences_of_logits(
    head: LogitsHead, model: keras.Model, reader: Reader
) -> dict[str, Inference]:
    """The inference of a model with the output `logits`, by name of the signature.

    Args:
        head: What follows from the logits.
        model: The model.
        reader: How it reads features.
    """

    def compute(inputs: Tensors) -> Tensors:
        return head.outputs(model(inputs)["logits"])

    return {reader.name: Inference(reader.features, reader.prepare, compute, head.axes)}
