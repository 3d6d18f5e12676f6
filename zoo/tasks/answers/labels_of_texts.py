"""Labels of texts as the answer of a task, which says where a model knows no token."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import keras
import numpy as np

from zoo.data.readers.labels import LabeledTexts
from zoo.data.shards.examples import PreparedExamples
from zoo.data_statistics import Statistics, record
from zoo.heads.head import Reader
from zoo.heads.label import LabelHead
from zoo.models.known_tokens import has_known_token
from zoo.preprocessing.text import TokenPreprocessor
from zoo.serving.inference import Inference, Tensors
from zoo.tasks.answers.labels import Labels, known_labels
from zoo.tasks.options.text_classifier import Settings
from zoo.tasks.parts import Fitted, Predictor

TextExamples = LabeledTexts | PreparedExamples
TextPredictor = Predictor[Settings, TokenPreprocessor, keras.Model, TextExamples, LabelHead]
NOTHING_KNOWN = "texts without known tokens: the scores are the shares of the labels"


class LabelsOfTexts(Labels[Settings, TokenPreprocessor, keras.Model, TextExamples]):
    """One label for each text; of a text without known tokens, the most frequent one."""

    def prior(self, examples: TextExamples, settings: Settings) -> tuple[float, ...]:
        texts = examples.texts_with_labels()
        if texts is None:
            return ()
        _, labels = texts
        counts = Counter(labels)
        return tuple(counts[label] / len(labels) for label in known_labels(settings))

    def inferences(
        self,
        fitted: Fitted[Settings, TokenPreprocessor, keras.Model],
        head: LabelHead,
        reader: Reader,
        options: Mapping[str, Any],
    ) -> dict[str, Inference]:
        special = fitted.preprocessor.tokenizer.special_tokens.ids

        def compute(inputs: Tensors) -> Tensors:
            known = has_known_token(inputs["token_ids"], special)
            return head.outputs(fitted.model(inputs)["logits"], known)

        return {reader.name: Inference(reader.features, reader.prepare, compute, head.axes)}

    def predict(
        self, predictor: TextPredictor, data: Any, batch_size: int, options: Mapping[str, Any]
    ) -> Any:
        special = [*predictor.fitted.preprocessor.tokenizer.special_tokens.ids]

        def run(name: str, features: Mapping[str, Any]) -> dict[str, np.ndarray]:
            is_special = np.isin(features["token_ids"], special)
            unknown = is_special.reshape(len(is_special), -1).all(axis=1)
            record(Statistics({NOTHING_KNOWN: int(unknown.sum())}))
            return predictor.run(name, features)

        counting = replace(predictor, run=run) if predictor.head.prior else predictor
        return super().predict(counting, data, batch_size, options)
