"""The training of token taggers."""

from dataclasses import dataclass

from zoo.data.batching.bucketed import BucketedBatches
from zoo.data.batching.buckets import max_buckets
from zoo.data.batching.tagged import tagged_columns
from zoo.data.batching.tokenized import Tokenized
from zoo.data.readers.tags import TaggedTexts
from zoo.heads.tags import TagsHead
from zoo.preprocessing.words import WordPreprocessor
from zoo.tasks.baselines.frequent_answers import FittedTags, TagBaselines
from zoo.tasks.inputs.texts import EncoderInput
from zoo.tasks.options.token_tagger import STEPS, Settings, Training
from zoo.tasks.parts import Recipe
from zoo.tasks.recipes.text_batches import text_batches
from zoo.training.objective import Objective

TaggedTextInput = EncoderInput[Settings, WordPreprocessor, TaggedTexts]


@dataclass(frozen=True)
class TaggedTextRecipe(Recipe[FittedTags, Training, TaggedTexts, TagsHead]):
    """Batches of sentences, or parts of long ones, of similar length.

    Args:
        input: What the model reads.
    """

    input: TaggedTextInput
    min_steps: int = STEPS
    baselines = TagBaselines()

    def batches(
        self,
        examples: TaggedTexts,
        fitted: FittedTags,
        head: TagsHead,
        training: Training,
        held_out: bool,
    ) -> BucketedBatches:
        tokens, prepare = self.tokens(examples, fitted, head), self.input.reader(fitted).prepare
        buckets = max_buckets(held_out)
        return text_batches(tokens, len(examples), prepare, training, buckets, "sentences")

    def tokens(self, examples: TaggedTexts, fitted: FittedTags, head: TagsHead) -> Tokenized:
        """The columns of tokens and of numbers of tags."""
        numbers = head.numbers(examples.every_tag(), examples.path)
        return tagged_columns(fitted.preprocessor, examples, numbers)

    def objective(self, head: TagsHead, training: Training) -> Objective:
        return head.objective(training.label_smoothing)
