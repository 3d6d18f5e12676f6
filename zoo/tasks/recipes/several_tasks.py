"""The training of tasks that share an encoder."""

from dataclasses import dataclass, replace
from typing import Any

import keras

from zoo.data.batching.batches import Batches
from zoo.data.batching.bucketed import BucketedBatches
from zoo.data.batching.interleaved import InterleavedTasks
from zoo.data.batching.sampling import Sampling
from zoo.data.several_tasks import ExamplesOfTasks
from zoo.errors import UserError
from zoo.heads.several import HeadOfTasks
from zoo.preprocessing.text import TextPreprocessor
from zoo.tasks.baselines.several_tasks import BaselinesOfTasks
from zoo.tasks.inputs.texts import EncoderInput
from zoo.tasks.kinds import Kinds
from zoo.tasks.kinds.kind import FittedTasks
from zoo.tasks.options.encoded_texts import STEPS
from zoo.tasks.options.multi_task import Settings, Training
from zoo.tasks.parts import Recipe
from zoo.tasks.recipes.text_batches import WEIGHTS, text_batches
from zoo.training.data import BeforeBatch, Evaluate
from zoo.training.objective import Objective
from zoo.training.task_weights import LearnedWeightLoss, learned_weight

SHAPES = 8  # maximum number of batch shapes of all tasks, since each requires a compilation
LOGITS = "logits"  # the output of single tasks
RATE = 0.01  # peak learning rate of learned weights of losses

InputOfTasks = EncoderInput[Settings, TextPreprocessor, ExamplesOfTasks]


@dataclass(frozen=True)
class RecipeOfTasks(Recipe[FittedTasks, Training, ExamplesOfTasks, HeadOfTasks]):
    """Batches of texts of similar length, each of one task, with the loss and metric of its kind.

    Formula: `L = sum_t lambda_t L_t`

    Args:
        input: What the model reads.
        kinds: The kinds of tasks.
        baselines: Those of each task.
    """

    input: InputOfTasks
    kinds: Kinds
    baselines: BaselinesOfTasks
    min_steps: int = STEPS

    def batches(
        self,
        examples: ExamplesOfTasks,
        fitted: FittedTasks,
        head: HeadOfTasks,
        training: Training,
        held_out: bool,
    ) -> InterleavedTasks:
        for name in training.weights:
            self.kinds.of(fitted.settings, name)  # raises for an unknown name
        shapes = max(1, SHAPES // len(examples.parts))
        parts = {
            name: self._part(name, rows, fitted, head, training, shapes)
            for name, rows in examples.parts.items()
        }
        steps = sum(part.steps_per_epoch for part in parts.values())
        epochs = training.epochs or self.default_epochs(steps)
        sampling = Sampling(training.sampling, training.sampling_end, epochs)
        return InterleavedTasks(parts, sampling, training.seed)

    def _part(
        self,
        name: str,
        rows: Any,
        fitted: FittedTasks,
        head: HeadOfTasks,
        training: Training,
        shapes: int,
    ) -> BucketedBatches:
        """The batches of one task."""
        member = self.kinds.member(fitted.settings, name)
        tokens = member.kind.recipe.tokens(rows, member.fitted(fitted), head.heads[name])
        if WEIGHTS in tokens.columns:
            raise UserError(f"{rows.path}: multi-task has no weights of rows: leave the column out")
        prepare = self.input.reader(fitted).prepare
        return text_batches(tokens, len(rows), prepare, training, shapes)

    def objective(self, head: HeadOfTasks, training: Training) -> Objective:
        each = self._objectives(head, training)
        return Objective(
            loss={name: own.loss[LOGITS] for name, own in each.items()},
            metrics={name: own.metrics[LOGITS] for name, own in each.items()},
            monitor=f"val_{self.kinds.mean(head.kinds.values())}",
            mode="max",
            loss_weights={
                name: training.weights.get(name, 1.0) * _factor(own) for name, own in each.items()
            },
        )

    def objective_of(self, fitted: FittedTasks, head: HeadOfTasks, training: Training) -> Objective:
        """The objective, with weights of the losses that the model learns, if it has some."""
        objective, variances = self.objective(head, training), fitted.model.log_variance
        if variances is None:
            return objective
        kinds = [self.kinds.by_name[head.kinds[name]] for name in fitted.model.heads]
        losses = {
            name: LearnedWeightLoss(
                own.loss[LOGITS], variances, index, kind.precision, kind.missing, _factor(own)
            )
            for index, (kind, (name, own)) in enumerate(
                zip(kinds, self._objectives(head, training).items(), strict=True)
            )
        }

        def learned() -> dict[str, float]:
            now = keras.ops.convert_to_numpy(variances)
            return {
                f"{name}_weight": learned_weight(variance, kind.precision)
                for name, variance, kind in zip(losses, now, kinds, strict=True)
            }

        given = {name: training.weights.get(name, 1.0) for name in losses}
        return replace(objective, loss=losses, loss_weights=given, learned=learned)

    def rate_factors(self, fitted: FittedTasks, training: Training) -> dict[str, float]:
        """Learned weights of losses have a learning rate of their own, whatever that of others."""
        variances = fitted.model.log_variance
        if variances is None:
            return {}
        rate = training.learning_rate or self.default_learning_rate(fitted, pretrained=False)
        return {variances.path: RATE / rate}

    def _objectives(self, head: HeadOfTasks, training: Training) -> dict[str, Objective]:
        """The objective of each single task."""
        objectives = {}
        for name, kind in head.kinds.items():
            own = self.kinds.by_name[kind]
            objectives[name] = own.recipe.objective(head.heads[name], own.training(training))
        return objectives

    def validation(self, batches: Batches, fitted: FittedTasks) -> Evaluate:
        settings = fitted.settings
        members = self.kinds.members(settings)
        kinds = {name: self.kinds.of(settings, name) for name in members}
        head = HeadOfTasks({name: member.head for name, member in members.items()}, kinds)
        mean = self.kinds.mean(kinds.values())

        def evaluate(model: keras.Model, before_batch: BeforeBatch) -> dict[str, float]:
            objectives = self._objectives(head, Training())
            metrics: dict[str, keras.metrics.Metric] = {}
            for inputs, labels in batches.dataset(shuffle=False):
                before_batch()
                logits = model(inputs)
                for name, numbers in labels.items():  # without a label in batches of other tasks
                    metric = metrics.setdefault(name, objectives[name].metrics[LOGITS][0])
                    metric.update_state(numbers, logits[name])
            scores = {
                f"val_{name}_{metric.name}": float(metric.result())
                for name, metric in metrics.items()
            }
            return {**scores, f"val_{mean}": sum(scores.values()) / len(scores)}

        return evaluate


def _factor(objective: Objective) -> float:
    """The factor of the loss of a single task."""
    return (objective.loss_weights or {}).get(LOGITS, 1.0)
