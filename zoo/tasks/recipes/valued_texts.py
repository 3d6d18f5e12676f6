"""The training of text regressors."""

from dataclasses import dataclass

import keras
import numpy as np

from zoo.data.batching.bucketed import BucketedBatches
from zoo.data.batching.labeled import valued_columns
from zoo.data.readers.values import ValuedTexts
from zoo.heads.values import ValuesHead
from zoo.models.ngram_classifier import NgramClassifier
from zoo.preprocessing.text import TokenPreprocessor
from zoo.tasks.answers.values import check_names
from zoo.tasks.baselines.values import ValueBaselines
from zoo.tasks.inputs.texts import EncoderInput
from zoo.tasks.options.encoded_texts import STEPS
from zoo.tasks.options.text_regressor import Settings, Training
from zoo.tasks.parts import Fitted, Recipe
from zoo.tasks.recipes.text_batches import COUNTED, count_terms, text_batches
from zoo.training.objective import Objective

ValuedTextInput = EncoderInput[Settings, TokenPreprocessor, keras.Model, ValuedTexts]
FittedTexts = Fitted[Settings, TokenPreprocessor, keras.Model]


@dataclass(frozen=True)
class ValuedTextRecipe(
    Recipe[Settings, Training, TokenPreprocessor, keras.Model, ValuedTexts, ValuesHead]
):
    """Batches of texts of similar length; baselines are the mean and ridge regression.

    Args:
        input: What the model reads.
    """

    input: ValuedTextInput
    min_steps: int = STEPS
    baselines = ValueBaselines()

    def initialize(self, examples: ValuedTexts, fitted: FittedTexts, head: ValuesHead) -> None:
        if isinstance(fitted.model, NgramClassifier):
            every = self.batches(examples, fitted, head, Training(batch_tokens=COUNTED), False)
            prepare = self.input.reader(fitted).prepare
            count_terms(fitted.model, prepare, every, lambda values: np.isnan(values[:, 0]))

    def batches(
        self,
        examples: ValuedTexts,
        fitted: FittedTexts,
        head: ValuesHead,
        training: Training,
        held_out: bool,
    ) -> BucketedBatches:
        settings, preprocessor = fitted.settings, fitted.preprocessor
        check_names(examples, head.names)
        self.input.check_examples(examples, settings, preprocessor)
        targets = head.standardized(examples.values)
        tokens = valued_columns(preprocessor, examples.inputs, targets)
        prepare = self.input.reader(fitted).prepare
        return text_batches(
            tokens, len(examples), prepare, settings, self.input.task, training, held_out
        )

    def objective(self, head: ValuesHead, training: Training) -> Objective:
        return head.objective(training.loss)
