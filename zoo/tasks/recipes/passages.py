"""The training of models that answer questions."""

from dataclasses import dataclass

from zoo.data.batching.bucketed import BucketedBatches
from zoo.data.batching.buckets import max_buckets
from zoo.data.batching.spans import answered_columns
from zoo.data.readers.answers import AnsweredQuestions
from zoo.heads.spans import SpansHead
from zoo.preprocessing.base import Features
from zoo.preprocessing.model_inputs import Tensors
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
        def prepare(columns: Features) -> Tensors:
            return window_inputs(fitted, columns["token_ids"])

        tokens, buckets = answered_columns(fitted.preprocessor, examples), max_buckets(held_out)
        return text_batches(tokens, len(examples), prepare, training, buckets, "windows")

    def objective(self, head: SpansHead, training: Training) -> Objective:
        return head.objective()
