"""How text classifiers are trained."""

from collections.abc import Iterator
from dataclasses import dataclass

import keras

from zoo.data.batching.bucketed import (
    BucketedBatches,
    default_batch_tokens,
    tokens_per_batch,
    words_per_batch,
)
from zoo.data.batching.buckets import max_buckets
from zoo.data.batching.padded_columns import NO_LABEL, BatchSize
from zoo.heads.label import LabelHead
from zoo.models.ngram_classifier import NgramClassifier
from zoo.preprocessing.base import Features
from zoo.preprocessing.model_inputs import Tensors
from zoo.preprocessing.text import TokenPreprocessor
from zoo.tasks.baselines.labeled_texts import LabeledTextBaselines
from zoo.tasks.formats.labeled_texts import LabeledTextExamples, LabeledTextFormat
from zoo.tasks.inputs.texts import EncoderInput, reads_sentences
from zoo.tasks.options.text_classifier import STEPS, Settings, Training
from zoo.tasks.parts import Fitted, Recipe
from zoo.training.objective import Objective

COUNTED = 1 << 15  # tokens at a time when terms are counted

FittedTexts = Fitted[Settings, TokenPreprocessor, keras.Model]


@dataclass(frozen=True)
class LabeledTextRecipe(
    Recipe[Settings, Training, TokenPreprocessor, keras.Model, LabeledTextExamples, LabelHead]
):
    """Batches of texts of similar length; baselines are the most frequent label and a linear model.

    Args:
        format: The format of the data, which tokenizes.
        input: What the model reads.
    """

    format: LabeledTextFormat
    input: EncoderInput[Settings, TokenPreprocessor, keras.Model, LabeledTextExamples]
    min_steps: int = STEPS
    baselines = LabeledTextBaselines()

    def initialize(
        self, examples: LabeledTextExamples, fitted: FittedTexts, head: LabelHead
    ) -> None:
        if isinstance(fitted.model, NgramClassifier):
            every = self.batches(examples, fitted, head, Training(batch_tokens=COUNTED), False)
            rows = (batch["token_ids"] for batch in _without_padding(every))
            fitted.model.adapt(self.input.prepare(fitted, {"token_ids": each}) for each in rows)

    def batches(
        self,
        examples: LabeledTextExamples,
        fitted: FittedTexts,
        head: LabelHead,
        training: Training,
        held_out: bool,
    ) -> BucketedBatches:
        tokens = examples.tokenized(self.format.tokenization(fitted.settings, fitted.preprocessor))
        usual = default_batch_tokens(tokens.columns["token_ids"], len(examples))

        def labeled(columns: Features) -> tuple[Tensors, Tensors]:
            return self.input.prepare(fitted, columns), columns["labels"]

        return tokens.bucketed(
            labeled,
            self._batch_size(fitted.settings, training.batch_tokens or usual),
            max_buckets(held_out),
            training.seed,
            what="texts",
        )

    def _batch_size(self, settings: Settings, tokens: int) -> BatchSize:
        """Function from the lengths of a batch to its number of rows."""
        documents = reads_sentences(settings, self.input.task)
        return words_per_batch(tokens) if documents else tokens_per_batch(tokens)

    def objective(self, head: LabelHead, training: Training) -> Objective:
        return head.objective(training.label_smoothing)


def _without_padding(batches: BucketedBatches) -> Iterator[Features]:
    """The rows of all batches that are examples."""
    for batch in batches.columns(shuffle=False):
        yield {"token_ids": batch["token_ids"][batch["labels"] != NO_LABEL]}
