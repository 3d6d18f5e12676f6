"""The training of tasks that give values to texts or to pairs of texts."""

from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from zoo.data.batching.bucketed import BucketedBatches
from zoo.data.batching.buckets import max_buckets
from zoo.data.batching.labeled import valued_columns
from zoo.data.batching.tokenized import Tokenized
from zoo.data.readers.values import ValuedTexts
from zoo.heads.values import ValuesHead
from zoo.models.ngram_classifier import NgramClassifier
from zoo.preprocessing.text import TokenPreprocessor
from zoo.tasks.answers.values import check_names
from zoo.tasks.baselines.values import ValueBaselines
from zoo.tasks.inputs.texts import EncoderInput, reads_sentences
from zoo.tasks.options import text_pair_scorer, text_regressor
from zoo.tasks.options.encoded_texts import STEPS
from zoo.tasks.parts import Fitted, Recipe
from zoo.tasks.parts.baselines import Baselines
from zoo.tasks.recipes.text_batches import COUNTED, count_terms, text_batches
from zoo.training.objective import Objective

S = TypeVar("S", text_regressor.Settings, text_pair_scorer.Settings)
E = TypeVar("E", bound=ValuedTexts)
Training = text_regressor.Training | text_pair_scorer.Training
ValuedTextInput = EncoderInput[S, TokenPreprocessor, E]


@dataclass(frozen=True)
class ValuedTextRecipe(
    Recipe[Fitted[S, TokenPreprocessor], Training, E, ValuesHead], Generic[S, E]
):
    """Batches of texts of similar length.

    Args:
        input: What the model reads.
        baselines: Simple models beside it; by default the mean, and ridge regression.
    """

    input: ValuedTextInput[S, E]
    baselines: Baselines[Fitted[S, TokenPreprocessor], E, Any] = field(
        default_factory=ValueBaselines
    )
    min_steps: int = STEPS

    def initialize(
        self, examples: E, fitted: Fitted[S, TokenPreprocessor], head: ValuesHead
    ) -> None:
        if isinstance(fitted.model, NgramClassifier):
            training = text_regressor.Training(batch_tokens=COUNTED)
            every = self.batches(examples, fitted, head, training, False)
            count_terms(fitted.model, self.input.reader(fitted).prepare, every)

    def batches(
        self,
        examples: E,
        fitted: Fitted[S, TokenPreprocessor],
        head: ValuesHead,
        training: Training,
        held_out: bool,
    ) -> BucketedBatches:
        tokens, prepare = self.tokens(examples, fitted, head), self.input.reader(fitted).prepare
        nested, buckets = reads_sentences(fitted.settings), max_buckets(held_out)
        return text_batches(tokens, len(examples), prepare, training, buckets, documents=nested)

    def tokens(
        self, examples: E, fitted: Fitted[S, TokenPreprocessor], head: ValuesHead
    ) -> Tokenized:
        """The columns of tokens and of standardized values."""
        preprocessor = fitted.preprocessor
        check_names(examples, head.names)
        self.input.check_examples(examples, fitted.settings, preprocessor)
        targets = head.standardized(examples.values)
        return valued_columns(preprocessor, examples.inputs, targets)

    def objective(self, head: ValuesHead, training: Training) -> Objective:
        return head.objective(training.loss)
