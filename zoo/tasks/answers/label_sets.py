"""Any number of labels as the answer of a task."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from zoo.data.batching.batches import Batches
from zoo.data.examples import LabelSetExamples
from zoo.heads.head import Reader
from zoo.heads.label import labels_of
from zoo.heads.labels import THRESHOLD, LabelsHead
from zoo.metrics.label_sets import LabelSetRows
from zoo.registry.metrics import LABEL_SETS
from zoo.serving.inference import Inference
from zoo.tasks.answers.labels import known_labels
from zoo.tasks.answers.ranked_labels import TOP_K, LabelOptions, ranked_cells, ranked_labels
from zoo.tasks.cells import PREDICTION, SCORES, Cells, Scored
from zoo.tasks.measuring import Judged
from zoo.tasks.options.label_sets import LabelSetSettings
from zoo.tasks.parts import Answer, AnyFitted, Predictor
from zoo.training.calibration import Tuned
from zoo.training.score_scaling import ScoreScaling
from zoo.training.thresholds import tune_threshold

LabelsPredictor = Predictor[AnyFitted, LabelsHead]


class LabelSets(Answer[Any, Any, Any, LabelsHead]):
    """Any number of labels for each row: those above a threshold."""

    caveats = ("It may give an input no label, also where one of its labels fits.",)
    options = LabelOptions

    def learn(self, examples: LabelSetExamples, settings: LabelSetSettings) -> LabelSetSettings:
        labels = labels_of(examples.labels, settings.labels, "label", examples.path)
        return replace(settings, labels=labels)

    def sizes(self, settings: LabelSetSettings) -> dict[str, Any]:
        return {"num_classes": len(known_labels(settings))}

    def head(self, settings: LabelSetSettings, preprocessor: Any) -> LabelsHead:
        return LabelsHead(known_labels(settings), threshold=settings.threshold or THRESHOLD)

    def scaled(self, head: LabelsHead, scaling: ScoreScaling) -> LabelsHead:
        return head.scaled(scaling)

    def calibration(self, fitted: AnyFitted, held_out: Batches) -> Tuned | None:
        if fitted.settings.threshold is not None:
            return None
        return tune_threshold(fitted.model, held_out.dataset(shuffle=False))

    def inferences(
        self, fitted: AnyFitted, head: LabelsHead, reader: Reader, options: Mapping[str, Any]
    ) -> dict[str, Inference]:
        return head.inferences(fitted.model, reader)

    def predict(
        self, predictor: LabelsPredictor, data: Any, batch_size: int, options: Mapping[str, Any]
    ) -> Any:
        """The labels of each row; with `top_k`, the most probable labels with their scores."""
        if options.get(TOP_K):
            return [row[SCORES] for row in self.scored(predictor, data, batch_size, options)]
        return super().predict(predictor, data, batch_size, options)

    def cells(
        self, predictor: LabelsPredictor, data: Any, batch_size: int, options: Mapping[str, Any]
    ) -> list[Cells]:
        """The labels of each row, and the most probable ones."""
        head = predictor.head
        return [
            {
                PREDICTION: head.text(head.result(row)),
                **ranked_cells(head.labels, row["scores"].tolist(), options),
            }
            for row in predictor.rows(predictor.raw(data), batch_size)
        ]

    def scored(
        self, predictor: LabelsPredictor, data: Any, batch_size: int, options: Mapping[str, Any]
    ) -> list[Scored]:
        """The labels of each row, and the probability of each label."""
        head = predictor.head
        return [
            {
                PREDICTION: head.result(row),
                SCORES: ranked_labels(head.labels, row["scores"].tolist(), options),
            }
            for row in predictor.rows(predictor.raw(data), batch_size)
        ]

    def reference_text(self, reference: Sequence[str], head: LabelsHead) -> str:
        return head.text(sorted(reference))

    def judged(self, predictor: LabelsPredictor, examples: LabelSetExamples) -> Judged:
        head = predictor.head
        examples.class_numbers(head.labels)  # raises for an unknown label

        def rows() -> LabelSetRows:
            return LabelSetRows(
                examples.label_sets, predictor.results(examples.inputs), head.labels
            )

        return {LABEL_SETS: rows}
