"""Labels as the answer of a task."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from zoo.data.batching.batches import Batches
from zoo.data.examples import LabeledExamples
from zoo.errors import UserError
from zoo.heads.head import Reader
from zoo.heads.label import LabelHead, labels_of
from zoo.metrics.labels import LabelRows
from zoo.registry.metrics import LABELS
from zoo.serving.inference import Inference
from zoo.tasks.answers.ranked_labels import TOP_K, LabelOptions, ranked_cells, ranked_labels
from zoo.tasks.cells import PREDICTION, SCORE, SCORES, Cells, Scored
from zoo.tasks.measuring import Judged
from zoo.tasks.options.common import LabelSettings
from zoo.tasks.options.label_sets import LabelSetSettings
from zoo.tasks.parts import Answer, AnyFitted, Predictor
from zoo.training.calibration import Calibration, calibrate
from zoo.training.score_scaling import ScoreScaling

LabelPredictor = Predictor[AnyFitted, LabelHead]


class UnknownInputs(Protocol):
    """What is done about inputs of which a model knows nothing."""

    def shares(self, examples: Any, labels: list[str]) -> tuple[float, ...]:
        """The share of each label in the training data, or nothing."""

    def inferences(
        self, fitted: AnyFitted, head: LabelHead, reader: Reader
    ) -> dict[str, Inference]:
        """The inferences that give such inputs the shares as scores."""

    def counting(self, predictor: LabelPredictor) -> LabelPredictor:
        """A predictor that records how many there are."""


@dataclass(frozen=True)
class Labels(Answer[Any, Any, Any, LabelHead]):
    """One label for each row: those of the settings, or else those of the training data.

    Args:
        unknown: What is done about unknown inputs, if there may be any.
    """

    unknown: UnknownInputs | None = None

    caveats = ("It gives one of its labels to every input, also where none fits.",)
    options = LabelOptions

    def learn(self, examples: LabeledExamples, settings: LabelSettings) -> LabelSettings:
        labels = labels_of(examples.labels, settings.labels, "label", examples.path)
        return replace(settings, labels=labels)

    def sizes(self, settings: LabelSettings) -> dict[str, Any]:
        return {"num_classes": len(known_labels(settings))}

    def head(self, settings: LabelSettings | LabelSetSettings, preprocessor: Any) -> LabelHead:
        return LabelHead(known_labels(settings))

    def scaled(self, head: LabelHead, scaling: ScoreScaling) -> LabelHead:
        return head.scaled(scaling)

    def calibration(self, fitted: AnyFitted, held_out: Batches) -> Calibration | None:
        return calibrate(fitted.model, held_out.dataset(shuffle=False))

    def inferences(
        self, fitted: AnyFitted, head: LabelHead, reader: Reader, options: Mapping[str, Any]
    ) -> dict[str, Inference]:
        if self.unknown is not None:
            return self.unknown.inferences(fitted, head, reader)
        return head.inferences(fitted.model, reader)

    def prior(self, examples: LabeledExamples, settings: LabelSettings) -> tuple[float, ...]:
        return self.unknown.shares(examples, known_labels(settings)) if self.unknown else ()

    def predict(
        self, predictor: LabelPredictor, data: Any, batch_size: int, options: Mapping[str, Any]
    ) -> Any:
        """The label of each row; with `top_k`, the most probable labels with their scores."""
        if options.get(TOP_K):
            return [row[SCORES] for row in self.scored(predictor, data, batch_size, options)]
        if self.unknown is not None and predictor.head.prior:
            predictor = self.unknown.counting(predictor)
        return super().predict(predictor, data, batch_size, options)

    def cells(
        self, predictor: LabelPredictor, data: Any, batch_size: int, options: Mapping[str, Any]
    ) -> list[Cells]:
        """The label of each row and its probability, and the most probable ones."""
        labels, best = predictor.head.labels, self._best(predictor, data, batch_size)
        return [
            {**answer, **ranked_cells(labels, scores.tolist(), options)} for answer, scores in best
        ]

    def scored(
        self, predictor: LabelPredictor, data: Any, batch_size: int, options: Mapping[str, Any]
    ) -> list[Scored]:
        """The label of each row, its probability, and that of each label."""
        labels, best = predictor.head.labels, self._best(predictor, data, batch_size)
        return [
            {**answer, SCORES: ranked_labels(labels, scores.tolist(), options)}
            for answer, scores in best
        ]

    def _best(
        self, predictor: LabelPredictor, data: Any, batch_size: int
    ) -> list[tuple[Cells, np.ndarray]]:
        """The label of each row with its probability, and the scores of all."""
        head = predictor.head
        if self.unknown is not None and head.prior:
            predictor = self.unknown.counting(predictor)
        rows = predictor.rows(predictor.raw(data), batch_size)
        return [
            ({PREDICTION: head.result(row), SCORE: float(row["scores"].max())}, row["scores"])
            for row in rows
        ]

    def judged(self, predictor: LabelPredictor, examples: LabeledExamples) -> Judged:
        head = predictor.head
        examples.class_numbers(head.labels)  # raises for an unknown label

        def rows() -> LabelRows:
            answers = predictor.rows(examples.inputs)
            scores = np.array([row["scores"] for row in answers])
            results = [head.result(row) for row in answers]
            return LabelRows(examples.labels, results, head.labels, scores)

        return {LABELS: rows}


def known_labels(settings: LabelSettings | LabelSetSettings) -> list[str]:
    """The labels in class order.

    Raises:
        UserError: If no data was learned from yet.
    """
    if settings.labels is None:
        raise UserError("the task has no labels yet: call adapt(data) first")
    return settings.labels


def probabilities(predictor: LabelPredictor, data: Any, batch_size: int = 64) -> np.ndarray:
    """The probability of each label, (B, C).

    Args:
        predictor: Computes the answers.
        data: A list of raw inputs, as `predict` takes it.
        batch_size: Batch size.
    """
    rows = predictor.rows(predictor.raw(data), batch_size)
    return np.array([row["scores"] for row in rows]).reshape(-1, len(predictor.head.labels))
