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
from zoo.tasks.measuring import Judged
from zoo.tasks.options.label_sets import LabelSetSettings
from zoo.tasks.parts import Answer, AnyFitted, Predictor
from zoo.tasks.score_scaling import ScoreScaling
from zoo.training.calibration import Tuned
from zoo.training.thresholds import tune_threshold

LabelsPredictor = Predictor[AnyFitted, LabelsHead]


class LabelSets(Answer[Any, Any, Any, LabelsHead]):
    """Any number of labels for each row: those above a threshold."""

    caveats = ("It may give an input no label, also where one of its labels fits.",)

    def learn(self, examples: LabelSetExamples, settings: LabelSetSettings) -> LabelSetSettings:
        labels = labels_of(examples.labels, settings.labels, "label", examples.path)
        return replace(settings, labels=labels)

    def sizes(self, settings: LabelSetSettings) -> dict[str, Any]:
        return {"num_classes": len(known_labels(settings))}

    def head(self, settings: LabelSetSettings, preprocessor: Any) -> LabelsHead:
        return LabelsHead(known_labels(settings), threshold=settings.threshold or THRESHOLD)

    def scaled(self, head: LabelsHead, scaling: ScoreScaling) -> LabelsHead:
        return head if scaling.threshold is None else replace(head, threshold=scaling.threshold)

    def calibration(self, fitted: AnyFitted, held_out: Batches) -> Tuned | None:
        if fitted.settings.threshold is not None:
            return None
        return tune_threshold(fitted.model, held_out.dataset(shuffle=False))

    def inferences(
        self, fitted: AnyFitted, head: LabelsHead, reader: Reader, options: Mapping[str, Any]
    ) -> dict[str, Inference]:
        return head.inferences(fitted.model, reader)

    def reference_text(self, reference: Sequence[str], head: LabelsHead) -> str:
        return head.text(sorted(reference))

    def judged(self, predictor: LabelsPredictor, examples: LabelSetExamples) -> Judged:
        head = predictor.head
        head.numbers(examples.label_sets, examples.path)  # raises for an unknown label

        def rows() -> LabelSetRows:
            return LabelSetRows(
                examples.label_sets, predictor.results(examples.inputs), head.labels
            )

        return {LABEL_SETS: rows}
