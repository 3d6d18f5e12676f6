"""Labels as the answer of a task: one for each row or, if the settings say so, any number."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from zoo.data.batching.batches import Batches
from zoo.data.examples import ClassExamples
from zoo.data.readers.json_rows import texts_of
from zoo.errors import UserError
from zoo.heads.head import ClassHead, Reader, inferences_of_logits
from zoo.heads.label import LabelHead, labels_of
from zoo.heads.labels import THRESHOLD, LabelsHead
from zoo.metrics.label_sets import LabelSetPredictions
from zoo.metrics.labels import LabelPredictions
from zoo.option_names import option_value
from zoo.registry.metrics import LABEL_SETS, LABELS
from zoo.serving.inference import Inference
from zoo.serving.unknown import record_unknown
from zoo.tasks.answers.ranked_labels import TOP_K, LabelOptions, ranked_cells, ranked_labels
from zoo.tasks.answers.unknown_texts import UnknownTexts
from zoo.tasks.cells import PREDICTION, SCORE, SCORES, Cells, Scored
from zoo.tasks.measuring import Judged
from zoo.tasks.options.common import LabelSettings
from zoo.tasks.options.label_sets import LabelSetSettings
from zoo.tasks.parts import Answer, AnyFitted, Predictor
from zoo.training.calibration import Tuned, calibrate
from zoo.training.score_scaling import ScoreScaling
from zoo.training.thresholds import tune_threshold

LabelPredictor = Predictor[AnyFitted, ClassHead]


@dataclass(frozen=True)
class Labels(Answer[Any, Any, Any, ClassHead]):
    """One label for each row or, with `multi_label`, those above a threshold.

    The labels are those of the settings, or else those of the training data.

    Args:
        unknown: What is done about texts without known tokens, if there may be any.
    """

    unknown: UnknownTexts | None = None

    caveats = ("It gives one of its labels to every input, also where none fits.",)
    options = LabelOptions
    fills_batches = True

    def learn(self, examples: ClassExamples, settings: LabelSetSettings) -> LabelSetSettings:
        if not settings.multi_label:
            _check_single(examples.labels, examples.path)
        labels = labels_of(examples.labels, settings.labels, "label", examples.path)
        return replace(settings, labels=labels)

    def sizes(self, settings: LabelSetSettings) -> dict[str, Any]:
        return {"num_classes": len(known_labels(settings))}

    def head(self, settings: LabelSetSettings, preprocessor: Any) -> ClassHead:
        labels, threshold = known_labels(settings), settings.threshold
        if settings.multi_label:
            return LabelsHead(labels, threshold=threshold or THRESHOLD)
        return LabelHead(labels, threshold=threshold or 0.0, other=settings.other_label)

    def scaled(self, head: ClassHead, scaling: ScoreScaling) -> ClassHead:
        return head.scaled(scaling)

    def calibration(self, fitted: AnyFitted, held_out: Batches) -> Tuned | None:
        if not fitted.settings.multi_label:
            return calibrate(fitted.model, held_out.dataset(shuffle=False))
        if fitted.settings.threshold is not None:
            return None
        return tune_threshold(fitted.model, held_out.dataset(shuffle=False))

    def inferences(
        self, fitted: AnyFitted, head: ClassHead, reader: Reader, options: Mapping[str, Any]
    ) -> dict[str, Inference]:
        if self.unknown is not None and head.prior:
            return self.unknown.inferences(fitted, head, reader)
        return inferences_of_logits(head, fitted.model, reader)

    def prior(self, examples: Any, settings: LabelSetSettings) -> tuple[float, ...]:
        if self.unknown is None or settings.multi_label:
            return ()
        return self.unknown.shares(examples, known_labels(settings))

    def predict(
        self, predictor: LabelPredictor, data: Any, batch_size: int, options: Mapping[str, Any]
    ) -> Any:
        """The answer for each row; with `top_k`, the most probable labels with their scores."""
        if options.get(TOP_K):
            return [row[SCORES] for row in self.with_scores(predictor, data, batch_size, options)]
        return [answer for answer, _, _ in self._rows(predictor, data, batch_size)]

    def cells(
        self, predictor: LabelPredictor, data: Any, batch_size: int, options: Mapping[str, Any]
    ) -> list[Cells]:
        """The answer for each row, its probability if it is one label, and the most probable."""
        head = predictor.head
        return [
            {PREDICTION: head.text(answer), **score, **ranked_cells(head.labels, scores, options)}
            for answer, score, scores in self._rows(predictor, data, batch_size)
        ]

    def with_scores(
        self, predictor: LabelPredictor, data: Any, batch_size: int, options: Mapping[str, Any]
    ) -> list[Scored]:
        """The answer for each row, its probability if it is one label, and that of each label."""
        labels = predictor.head.labels
        return [
            {PREDICTION: answer, **score, SCORES: ranked_labels(labels, scores, options)}
            for answer, score, scores in self._rows(predictor, data, batch_size)
        ]

    def _rows(
        self, predictor: LabelPredictor, data: Any, batch_size: int
    ) -> list[tuple[Any, dict[str, float], list[float]]]:
        """The answer for each row, its score if it is one label, and the scores of all labels."""
        head, several = predictor.head, predictor.fitted.settings.multi_label
        rows = predictor.rows(predictor.raw(data), batch_size)
        record_unknown(rows)
        return [
            (
                head.result(row),
                {} if several else {SCORE: float(row["scores"].max())},
                row["scores"].tolist(),
            )
            for row in rows
        ]

    def reference_text(self, reference: Any, head: ClassHead) -> str:
        return reference if isinstance(reference, str) else head.text(sorted(reference))

    def judged(self, predictor: LabelPredictor, examples: Any) -> Judged:
        head, several = predictor.head, predictor.fitted.settings.multi_label
        examples.class_numbers(head.labels)  # raises for an unknown label

        def of_one() -> LabelPredictions:
            answers = predictor.rows(examples.inputs)
            scores = np.array([row["scores"] for row in answers])
            results = [head.result(row) for row in answers]
            return LabelPredictions(examples.labels, results, head.labels, scores)

        def of_several() -> LabelSetPredictions:
            results = predictor.results(examples.inputs)
            return LabelSetPredictions(examples.label_sets, results, head.labels)

        return {LABEL_SETS: of_several} if several else {LABELS: of_one}


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


def _check_single(labels: Sequence[str], path: str) -> None:
    """Refuses rows that all have a list of labels, which would be taken for a label each."""
    if labels and all(texts_of(label) is not None for label in labels):
        raise UserError(
            f"{path}: each row has a list of labels, such as {labels[0]!r:.40}: give "
            f"{option_value('multi_label', True)}"
        )
