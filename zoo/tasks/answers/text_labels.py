"""Labels of texts as the answer of a task: one for each text, or any number."""

from collections.abc import Mapping
from typing import Any

import keras

from zoo.data.batching.batches import Batches
from zoo.data.readers.label_sets import LabelSetTexts
from zoo.data.readers.labels import LabeledTexts
from zoo.data.shards.examples import PreparedExamples
from zoo.heads.head import Reader
from zoo.heads.label import LabelHead
from zoo.heads.labels import LabelsHead
from zoo.preprocessing.text import TokenPreprocessor
from zoo.serving.inference import Inference
from zoo.tasks.answers.label_sets_of_texts import LabelSetsOfTexts
from zoo.tasks.answers.labels import Labels, known_labels
from zoo.tasks.answers.unknown_texts import (
    counting_unknown,
    inferences_of_texts,
    label_shares,
)
from zoo.tasks.formats.labeled_texts import LabeledTextExamples
from zoo.tasks.options.text_classifier import Settings
from zoo.tasks.parts import Answer, Fitted, Predictor, PreviewRow
from zoo.tasks.recipes.labeled_texts import TextLabelHead
from zoo.tasks.score_scaling import ScoreScaling
from zoo.training.calibration import Tuned

FittedTexts = Fitted[Settings, TokenPreprocessor, keras.Model]
LabelPredictor = Predictor[
    Settings, TokenPreprocessor, keras.Model, LabeledTextExamples, TextLabelHead
]
OwnAnswer = Answer[Settings, TokenPreprocessor, keras.Model, Any, Any]  # one label, or several
ONE: Labels[Settings, TokenPreprocessor, keras.Model, LabeledTexts | PreparedExamples] = Labels()
SEVERAL = LabelSetsOfTexts()


class TextLabels(
    Answer[Settings, TokenPreprocessor, keras.Model, LabeledTextExamples, TextLabelHead]
):
    """One label for each text or, if the settings say so, any number."""

    caveats = ONE.caveats

    def _own(self, settings: Settings) -> OwnAnswer:
        return SEVERAL if settings.multi_label else ONE

    def learn(self, examples: LabeledTextExamples, settings: Settings) -> Settings:
        return self._own(settings).learn(examples, settings)

    def sizes(self, settings: Settings) -> dict[str, Any]:
        return ONE.sizes(settings)

    def head(self, settings: Settings, preprocessor: TokenPreprocessor) -> TextLabelHead:
        return self._own(settings).head(settings, preprocessor)

    def scaled(self, head: TextLabelHead, scaling: ScoreScaling) -> TextLabelHead:
        if isinstance(head, LabelsHead):
            return SEVERAL.scaled(head, scaling)
        return ONE.scaled(head, scaling)

    def prior(self, examples: LabeledTextExamples, settings: Settings) -> tuple[float, ...]:
        if isinstance(examples, LabelSetTexts):
            return ()
        return label_shares(examples, known_labels(settings))

    def calibration(self, fitted: FittedTexts, held_out: Batches) -> Tuned | None:
        return self._own(fitted.settings).calibration(fitted, held_out)

    def inferences(
        self,
        fitted: FittedTexts,
        head: TextLabelHead,
        reader: Reader,
        options: Mapping[str, Any],
    ) -> dict[str, Inference]:
        if isinstance(head, LabelsHead):
            return SEVERAL.inferences(fitted, head, reader, options)
        return inferences_of_texts(fitted, head, reader)

    def predict(
        self, predictor: LabelPredictor, data: Any, batch_size: int, options: Mapping[str, Any]
    ) -> Any:
        head = predictor.head
        if isinstance(head, LabelHead) and head.prior:
            predictor = counting_unknown(predictor)
        return super().predict(predictor, data, batch_size, options)

    def preview(
        self, predictor: LabelPredictor, examples: LabeledTextExamples, count: int
    ) -> list[PreviewRow]:
        return self._own(predictor.fitted.settings).preview(predictor, examples, count)

    def score(self, predictor: LabelPredictor, examples: LabeledTextExamples) -> dict[str, float]:
        return self._own(predictor.fitted.settings).score(predictor, examples)
