"""Any number of labels of texts as the answer of a task."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import keras

from zoo.data.batching.batches import Batches
from zoo.data.readers.label_sets import LabelSetTexts
from zoo.heads.head import Reader
from zoo.heads.label import labels_of
from zoo.heads.label_set_scores import score_label_sets
from zoo.heads.labels import THRESHOLD, LabelsHead
from zoo.preprocessing.text import TokenPreprocessor
from zoo.serving.inference import Inference
from zoo.tasks.answers.labels import known_labels
from zoo.tasks.options.text_classifier import Settings
from zoo.tasks.parts import Answer, Fitted, Predictor, PreviewRow
from zoo.tasks.score_scaling import ScoreScaling
from zoo.training.calibration import Tuned
from zoo.training.thresholds import tune_threshold

FittedTexts = Fitted[Settings, TokenPreprocessor, keras.Model]
SetPredictor = Predictor[Settings, TokenPreprocessor, keras.Model, LabelSetTexts, LabelsHead]


class LabelSetsOfTexts(Answer[Settings, TokenPreprocessor, keras.Model, LabelSetTexts, LabelsHead]):
    """Any number of labels for each text: those above a threshold."""

    caveats = ("It may give a text no label, also where one of its labels fits.",)

    def learn(self, examples: LabelSetTexts, settings: Settings) -> Settings:
        labels = labels_of(examples.labels, settings.labels, "label", examples.path)
        return replace(settings, labels=labels)

    def sizes(self, settings: Settings) -> dict[str, Any]:
        return {"num_classes": len(known_labels(settings))}

    def head(self, settings: Settings, preprocessor: TokenPreprocessor) -> LabelsHead:
        return LabelsHead(known_labels(settings), threshold=settings.threshold or THRESHOLD)

    def scaled(self, head: LabelsHead, scaling: ScoreScaling) -> LabelsHead:
        return head if scaling.threshold is None else replace(head, threshold=scaling.threshold)

    def calibration(self, fitted: FittedTexts, held_out: Batches) -> Tuned | None:
        if fitted.settings.threshold is not None:
            return None
        return tune_threshold(fitted.model, held_out.dataset(shuffle=False))

    def inferences(
        self,
        fitted: FittedTexts,
        head: LabelsHead,
        reader: Reader,
        options: Mapping[str, Any],
    ) -> dict[str, Inference]:
        return head.inferences(fitted.model, reader)

    def preview(
        self, predictor: SetPredictor, examples: LabelSetTexts, count: int
    ) -> list[PreviewRow]:
        head, shown = predictor.head, predictor.input.first_rows(examples, count)
        results = self.predict(predictor, [row.data for row in shown], count, {})
        return [
            PreviewRow(row.name, head.text(found), head.text(sorted(row.reference)), row.data)
            for row, found in zip(shown, results, strict=True)
        ]

    def score(self, predictor: SetPredictor, examples: LabelSetTexts) -> dict[str, float]:
        head = predictor.head
        head.numbers(examples.label_sets, examples.path)  # raises for an unknown label
        results = predictor.results(examples.inputs)
        return score_label_sets(examples.label_sets, results, head.labels)
