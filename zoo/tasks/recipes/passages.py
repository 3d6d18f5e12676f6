"""The training of models that answer questions."""

from dataclasses import dataclass

from zoo.data.batching.bucketed import BucketedBatches
from zoo.data.batching.buckets import max_buckets
from zoo.data.batching.spans import answered_columns
from zoo.data.readers.answers import AnsweredQuestions
from zoo.heads.spans import SpansHead
from zoo.tasks.baselines.passages import AnswerBaselines
from zoo.tasks.inputs.passages import FittedPassages, PassageInput, window_inputs
from zoo.tasks.options.question_answering import STEPS, Training
from zoo.tasks.parts import Recipe
from zoo.tasks.recipes.text_batches import text_batches
from zoo.training.objective import Objective


@dataclass(frozen=True)
class PassageRecipe(Recipe[FittedPassages, Training, AnsweredQuestions, SpansHead]):
    """Batches of windows of similar length, each with a part of a passage.

    Args:
        input: What the model reads.
    """

    input: PassageInput
    min_steps: int = STEPS
    baselines = AnswerBaselines()

    def batches(
        self,
        examples: AnsweredQuestions,
        fitted: FittedPassages,
        head: SpansHead,
        training: Training,
        held_out: bool,
    ) -> BucketedBatches:
        return text_batches(
            answered_columns(fitted.preprocessor, examples),
            len(examples),
            lambda columns: window_inputs(fitted, columns["token_ids"]),
            training.batch_tokens,
            max_buckets(held_out),
            training.seed,
            "windows",
        )

    def objective(self, head: SpansHead, training: Training) -> Objective:
        return head.objective()
