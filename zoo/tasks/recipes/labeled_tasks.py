"""The training of classifiers that share an encoder."""

from dataclasses import dataclass

import keras

from keras_attn.metrics.token import MaskedAccuracy
from zoo.data.batching.batches import Batches
from zoo.data.batching.bucketed import BucketedBatches, default_batch_tokens, tokens_per_batch
from zoo.data.batching.interleaved import InterleavedTasks
from zoo.data.batching.labeled import labeled_columns
from zoo.data.batching.padded_columns import NO_LABEL
from zoo.data.readers.labeled_tasks import LabeledTasks
from zoo.data.readers.labels import LabeledTexts
from zoo.heads.label_of_tasks import MEAN, LabelOfTasksHead
from zoo.preprocessing.base import Features
from zoo.preprocessing.model_inputs import Tensors
from zoo.preprocessing.text import TextPreprocessor
from zoo.tasks.baselines.labeled_tasks import LabeledTaskBaselines
from zoo.tasks.inputs.texts import EncoderInput
from zoo.tasks.labels import LabelSet, label_set_of
from zoo.tasks.options.encoded_texts import STEPS
from zoo.tasks.options.multi_task import Settings, Training
from zoo.tasks.parts import Fitted, Recipe
from zoo.training.data import BeforeBatch, Evaluate
from zoo.training.objective import Objective

SHAPES = 8  # maximum number of batch shapes of all tasks, since each requires a compilation

LabeledTasksInput = EncoderInput[Settings, TextPreprocessor, keras.Model, LabeledTasks]
FittedTasks = Fitted[Settings, TextPreprocessor, keras.Model]


@dataclass(frozen=True)
class LabeledTasksRecipe(
    Recipe[Settings, Training, TextPreprocessor, keras.Model, LabeledTasks, LabelOfTasksHead]
):
    """Batches of texts of similar length, each of one task.

    Args:
        input: What the model reads.
    """

    input: LabeledTasksInput
    min_steps: int = STEPS
    baselines = LabeledTaskBaselines()

    def batches(
        self,
        examples: LabeledTasks,
        fitted: FittedTasks,
        head: LabelOfTasksHead,
        training: Training,
        held_out: bool,
    ) -> InterleavedTasks:
        for name in training.weights:
            label_set_of(fitted.settings, name)  # raises for an unknown name
        shapes = max(1, SHAPES // len(examples.parts))
        parts = {
            name: self._part(rows, label_set_of(fitted.settings, name), fitted, training, shapes)
            for name, rows in examples.parts.items()
        }
        return InterleavedTasks(parts, training.sampling, training.seed)

    def _part(
        self,
        rows: LabeledTexts,
        labels: LabelSet,
        fitted: FittedTasks,
        training: Training,
        shapes: int,
    ) -> BucketedBatches:
        """The batches of one task."""
        tokens = labeled_columns(fitted.preprocessor, rows.inputs, labels.numbers(rows))
        usual = default_batch_tokens(tokens.columns["token_ids"], len(rows))

        def labeled(columns: Features) -> tuple[Tensors, Tensors]:
            return self.input.prepare(fitted, columns), columns["labels"]

        size = tokens_per_batch(training.batch_tokens or usual)
        return tokens.bucketed(labeled, size, shapes, training.seed, what="texts")

    def objective(self, head: LabelOfTasksHead, training: Training) -> Objective:
        return head.objective(training.weights, training.label_smoothing)

    def validation(self, batches: Batches, fitted: FittedTasks) -> Evaluate:
        def evaluate(model: keras.Model, before_batch: BeforeBatch) -> dict[str, float]:
            metrics: dict[str, MaskedAccuracy] = {}
            for inputs, labels in batches.dataset(shuffle=False):
                before_batch()
                logits = model(inputs)
                for name, numbers in labels.items():  # without a label in batches of other tasks
                    metric = metrics.setdefault(name, MaskedAccuracy(ignore_id=NO_LABEL))
                    metric.update_state(numbers, logits[name])
            scores = {f"val_{name}_accuracy": float(x.result()) for name, x in metrics.items()}
            return {**scores, f"val_{MEAN}": sum(scores.values()) / len(scores)}

        return evaluate
