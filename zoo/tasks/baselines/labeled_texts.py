"""Baselines of text classification, from labeled texts in memory."""

from pathlib import Path

import keras

from zoo.data.readers.label_sets import LabelSetTexts
from zoo.preprocessing.text import TokenPreprocessor
from zoo.tasks.baselines.label_sets import LabelSetBaseline
from zoo.tasks.baselines.texts import Baseline
from zoo.tasks.formats.labeled_texts import LabeledTextExamples
from zoo.tasks.options.text_classifier import Settings
from zoo.tasks.parts.baselines import Baselines
from zoo.tasks.parts.fitted import Fitted

TextBaseline = Baseline | LabelSetBaseline
FittedTexts = Fitted[Settings, TokenPreprocessor, keras.Model]


class LabeledTextBaselines(
    Baselines[Settings, TokenPreprocessor, keras.Model, LabeledTextExamples, TextBaseline]
):
    """Frequent labels, and logistic regression on words and, of one label, on characters."""

    def fit(self, examples: LabeledTextExamples, fitted: FittedTexts) -> TextBaseline | None:
        if isinstance(examples, LabelSetTexts):
            return LabelSetBaseline.fit(examples.joined_texts(), examples.label_sets)
        texts = examples.texts_with_labels()
        return None if texts is None else Baseline.fit(*texts)

    def scores(
        self, learned: TextBaseline, examples: LabeledTextExamples, fitted: FittedTexts
    ) -> dict[str, float]:
        if isinstance(examples, LabelSetTexts) and isinstance(learned, LabelSetBaseline):
            return learned.scores(examples.joined_texts(), examples.label_sets)
        if isinstance(examples, LabelSetTexts) or isinstance(learned, LabelSetBaseline):
            return {}
        texts = examples.texts_with_labels()
        return {} if texts is None else learned.scores(*texts)

    def load(self, folder: Path) -> TextBaseline | None:
        return LabelSetBaseline.load(folder) or Baseline.load(folder)
