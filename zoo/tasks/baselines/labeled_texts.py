"""Baselines of the classification of texts, from labeled texts in memory."""

import keras

from zoo.preprocessing.text import TokenPreprocessor
from zoo.tasks.baselines.texts import Baseline
from zoo.tasks.formats.labeled_texts import LabeledTextExamples
from zoo.tasks.options.text_classifier import Settings
from zoo.tasks.parts.baselines import Baselines
from zoo.tasks.parts.fitted import Fitted

FittedTexts = Fitted[Settings, TokenPreprocessor, keras.Model]


class LabeledTextBaselines(Baselines[FittedTexts, LabeledTextExamples, Baseline]):
    """The most frequent label, and logistic regression on words and on characters."""

    loader = Baseline.load

    def fit(self, examples: LabeledTextExamples, fitted: FittedTexts) -> Baseline | None:
        texts = examples.texts_with_labels()
        return None if texts is None else Baseline.fit(*texts)

    def scores(
        self, learned: Baseline, examples: LabeledTextExamples, fitted: FittedTexts
    ) -> dict[str, float]:
        texts = examples.texts_with_labels()
        return {} if texts is None else learned.scores(*texts)
