"""The training of text classifiers."""

from dataclasses import dataclass

from zoo.data.batching.bucketed import BucketedBatches
from zoo.data.batching.buckets import max_buckets
from zoo.data.batching.tokenized import Tokenized
from zoo.heads.head import ClassHead
from zoo.models.ngram_classifier import NgramClassifier
from zoo.preprocessing.text import TokenPreprocessor
from zoo.tasks.baselines.label_sets import LabelSetBaselines
from zoo.tasks.baselines.one_or_several import OneOrSeveralBaselines
from zoo.tasks.baselines.texts import FittedTexts, LabeledTextBaselines
from zoo.tasks.formats.labeled_texts import LabeledTextExamples, LabeledTextFormat
from zoo.tasks.inputs.texts import EncoderInput, reads_sentences
from zoo.tasks.options.encoded_texts import STEPS
from zoo.tasks.options.text_classifier import Settings, Training
from zoo.tasks.parts import Recipe
from zoo.tasks.recipes.class_loss import with_class_loss
from zoo.tasks.recipes.text_batches import COUNTED, count_terms, text_batches
from zoo.training.objective import Objective

LabeledTextInput = EncoderInput[Settings, TokenPreprocessor, LabeledTextExamples]


@dataclass(frozen=True)
class LabeledTextRecipe(Recipe[FittedTexts, Training, LabeledTextExamples, ClassHead]):
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
        self, examples: LabeledTextExamples, fitted: FittedTexts, head: ClassHead
    ) -> None:
        if isinstance(fitted.model, NgramClassifier):
            every = self.batches(examples, fitted, head, Training(batch_tokens=COUNTED), False)
            count_terms(fitted.model, self.input.reader(fitted).prepare, every)

    def batches(
        self,
        examples: LabeledTextExamples,
        fitted: FittedTexts,
        head: ClassHead,
        training: Training,
        held_out: bool,
    ) -> BucketedBatches:
        tokens, prepare = self.tokens(examples, fitted, head), self.input.reader(fitted).prepare
        nested, buckets = reads_sentences(fitted.settings), max_buckets(held_out)
        return text_batches(tokens, len(examples), prepare, training, buckets, documents=nested)

    def weighted(
        self,
        examples: LabeledTextExamples,
        fitted: FittedTexts,
        head: ClassHead,
        training: Training,
    ) -> ClassHead:
        return with_class_loss(head, training, lambda: examples.class_numbers(head.labels))

    def tokens(
        self, examples: LabeledTextExamples, fitted: FittedTexts, head: ClassHead
    ) -> Tokenized:
        """The columns of tokens and of numbers of labels, as the format's `tokenize` makes them."""
        return examples.tokenized(self.format.tokenization(fitted.settings, fitted.preprocessor))

    def objective(self, head: ClassHead, training: Training) -> Objective:
        return head.objective(training.label_smoothing)
