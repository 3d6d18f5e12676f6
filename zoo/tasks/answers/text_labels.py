"""Labels of texts as the answer of a task, which says where a model knows no token."""

from collections.abc import Mapping
from typing import Any

import keras

from zoo.data.readers.label_sets import LabelSetTexts
from zoo.heads.head import Reader
from zoo.heads.label import LabelHead
from zoo.heads.labels import LabelsHead
from zoo.preprocessing.text import TokenPreprocessor
from zoo.serving.inference import Inference
from zoo.tasks.answers.labels import known_labels
from zoo.tasks.answers.one_or_several import AnyLabelHead, OneOrSeveral
from zoo.tasks.answers.unknown_texts import counting_unknown, inferences_of_texts, label_shares
from zoo.tasks.formats.labeled_texts import LabeledTextExamples
from zoo.tasks.options.text_classifier import Settings
from zoo.tasks.parts import Fitted, Predictor

FittedTexts = Fitted[Settings, TokenPreprocessor, keras.Model]
LabelPredictor = Predictor[
    Settings, TokenPreprocessor, keras.Model, LabeledTextExamples, AnyLabelHead
]


class TextLabels(OneOrSeveral[Settings, TokenPreprocessor, keras.Model, LabeledTextExamples]):
    """One label for each text, that of unknown texts the most frequent one; or any number."""

    def prior(self, examples: LabeledTextExamples, settings: Settings) -> tuple[float, ...]:
        if isinstance(examples, LabelSetTexts):
            return ()
        return label_shares(examples, known_labels(settings))

    def inferences(
        self,
        fitted: FittedTexts,
        head: AnyLabelHead,
        reader: Reader,
        options: Mapping[str, Any],
    ) -> dict[str, Inference]:
        if isinstance(head, LabelsHead):
            return super().inferences(fitted, head, reader, options)
        return inferences_of_texts(fitted, head, reader)

    def predict(
        self, predictor: LabelPredictor, data: Any, batch_size: int, options: Mapping[str, Any]
    ) -> Any:
        head = predictor.head
        if isinstance(head, LabelHead) and head.prior:
            predictor = counting_unknown(predictor)
        return super().predict(predictor, data, batch_size, options)
