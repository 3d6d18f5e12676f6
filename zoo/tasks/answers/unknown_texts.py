"""Texts of which a model knows no token: they get the most frequent label, and are counted."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from zoo.data.readers.labels import LabeledTexts
from zoo.data.shards.examples import PreparedExamples
from zoo.data_statistics import Statistics, record
from zoo.heads.head import ClassHead, Reader
from zoo.models.known_tokens import has_known_token
from zoo.preprocessing.text import TokenPreprocessor
from zoo.serving.inference import Inference, Tensors
from zoo.tasks.parts import Fitted, Predictor
from zoo.tasks.parts.kinds import H, S

NOTHING_KNOWN = "texts without known tokens: the scores are the shares of the labels"


class UnknownTexts:
    """Texts without known tokens get the most frequent label."""

    def shares(
        self, examples: LabeledTexts | PreparedExamples, labels: list[str]
    ) -> tuple[float, ...]:
        """The share of each label in the training data; nothing for prepared data."""
        texts = examples.texts_with_labels()
        if texts is None:
            return ()
        _, given = texts
        counts = Counter(given)
        return tuple(counts[label] / len(given) for label in labels)

    def inferences(
        self, fitted: Fitted[S, TokenPreprocessor], head: ClassHead, reader: Reader
    ) -> dict[str, Inference]:
        """The inference that gives such a text the shares of the labels as scores."""
        special = fitted.preprocessor.tokenizer.special_tokens.ids

        def compute(inputs: Tensors) -> Tensors:
            known = has_known_token(inputs["token_ids"], special)
            return head.outputs(fitted.model(inputs)["logits"], known)

        return {reader.name: Inference(reader.features, reader.prepare, compute, head.axes)}

    def counting(
        self, predictor: Predictor[Fitted[S, TokenPreprocessor], H]
    ) -> Predictor[Fitted[S, TokenPreprocessor], H]:
        """A predictor that records how many texts have no known token."""
        special = [*predictor.fitted.preprocessor.tokenizer.special_tokens.ids]

        def run(name: str, features: Mapping[str, Any]) -> dict[str, np.ndarray]:
            is_special = np.isin(features["token_ids"], special)
            unknown = is_special.reshape(len(is_special), -1).all(axis=1)
            record(Statistics({NOTHING_KNOWN: int(unknown.sum())}))
            return predictor.run(name, features)

        return replace(predictor, run=run)
