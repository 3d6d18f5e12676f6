"""The training of text classifiers."""

from dataclasses import dataclass

import numpy as np

from zoo.data.batching.bucketed import BucketedBatches
from zoo.data.batching.padded_columns import NO_LABEL
from zoo.data.batching.tokenized import Tokenized
from zoo.errors import UserError
from zoo.heads.labels import LabelsHead
from zoo.models.ngram_classifier import NgramClassifier
from zoo.option_names import option_name
from zoo.preprocessing.text import TokenPreprocessor
from zoo.tasks.answers.one_or_several import AnyLabelHead
from zoo.tasks.baselines.label_sets import LabelSetBaselines
from zoo.tasks.baselines.one_or_several import OneOrSeveralBaselines
from zoo.tasks.baselines.texts import FittedTexts, LabeledTextBaselines
from zoo.tasks.formats.labeled_texts import LabeledTextExamples, LabeledTextFormat
from zoo.tasks.inputs.texts import EncoderInput
from zoo.tasks.options.encoded_texts import STEPS
from zoo.tasks.options.text_classifier import Settings, Training
from zoo.tasks.parts import Recipe
from zoo.tasks.recipes.class_weights import balanced, check_class_loss
from zoo.tasks.recipes.text_batches import COUNTED, count_terms, text_batches
from zoo.training.objective import Objective

LabeledTextInput = EncoderInput[Settings, TokenPreprocessor, LabeledTextExamples]


@dataclass(frozen=True)
class LabeledTextRecipe(Recipe[FittedTexts, Training, LabeledTextExamples, AnyLabelHead]):
    """Batches of texts of similar length; baselines are frequent labels and a linear model.

    Args:
        format: The format of the data, which tokenizes.
        input: What the model reads.
    """

    format: LabeledTextFormat
    input: LabeledTextInput
    min_steps: int = STEPS
    baselines = OneOrSeveralBaselines(LabeledTextBaselines(), LabelSetBaselines())

    def initialize(
        self, examples: LabeledTextExamples, fitted: FittedTexts, head: AnyLabelHead
    ) -> None:
        if isinstance(fitted.model, NgramClassifier):
            every = self.batches(examples, fitted, head, Training(batch_tokens=COUNTED), False)
            count_terms(fitted.model, self.input.reader(fitted).prepare, every, _is_padding)

    def batches(
        self,
        examples: LabeledTextExamples,
        fitted: FittedTexts,
        head: AnyLabelHead,
        training: Training,
        held_out: bool,
    ) -> BucketedBatches:
        settings, prepare = fitted.settings, self.input.reader(fitted).prepare
        tokens = self.tokens(examples, fitted, head)
        return text_batches(
            tokens, len(examples), prepare, settings, self.input.task, training, held_out
        )

    def weighted(
        self,
        examples: LabeledTextExamples,
        fitted: FittedTexts,
        head: AnyLabelHead,
        training: Training,
    ) -> AnyLabelHead:
        check_class_loss(head, training)
        if training.class_weight is None or isinstance(head, LabelsHead):
            return head
        texts = examples.texts_with_labels()
        if texts is None:
            raise UserError(
                f"{examples.path} is prepared data, whose labels are not counted for "
                f"{option_name('class_weight')}: train on the files"
            )
        return balanced(head, head.numbers(texts[1], examples.path))

    def tokens(
        self, examples: LabeledTextExamples, fitted: FittedTexts, head: AnyLabelHead
    ) -> Tokenized:
        """The columns of tokens and of numbers of labels."""
        return examples.tokenized(self.format.tokenization(fitted.settings, fitted.preprocessor))

    def objective(self, head: AnyLabelHead, training: Training) -> Objective:
        if isinstance(head, LabelsHead):
            return head.objective()
        return head.objective(training.label_smoothing, training.gamma)


def _is_padding(labels: np.ndarray) -> np.ndarray:
    """Which rows of labels (B,) or (B, C) are no examples."""
    is_padding: np.ndarray = (labels == NO_LABEL).reshape(len(labels), -1).any(axis=1)
    return is_padding
