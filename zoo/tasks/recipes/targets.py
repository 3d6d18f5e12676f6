"""The targets of a model: the numbers of the labels of examples, or their values."""

from typing import Protocol, TypeVar

import numpy as np

from zoo.data.examples import ClassExamples, ValuedExamples
from zoo.heads.head import ClassHead, Head
from zoo.heads.values import ValuesHead
from zoo.tasks.answers.values import check_names
from zoo.tasks.options import image_classifier, series_classifier
from zoo.tasks.options.values import ValueLoss
from zoo.tasks.recipes.class_loss import with_class_loss
from zoo.training.objective import Objective

E_contra = TypeVar("E_contra", contravariant=True)
H = TypeVar("H", bound=Head)
T_contra = TypeVar("T_contra", contravariant=True)


class Targets(Protocol[E_contra, H, T_contra]):
    """What a model learns: one row of numbers for each example."""

    def numbers(self, examples: E_contra, head: H) -> np.ndarray:
        """The numbers (N,) or (N, K) of examples; integers, or values as float32.

        Raises:
            UserError: If the head does not have their labels or values.
        """

    def weights(self, examples: E_contra) -> list[float] | None:
        """The weight of each example in the loss, (N,); None if all weigh the same."""

    def weighted(self, examples: E_contra, head: H, training: T_contra) -> H:
        """The head with the weights of labels in the loss; see `Recipe.weighted`."""

    def objective(self, head: H, training: T_contra) -> Objective:
        """Loss, metrics, and the monitored value."""


LabelTraining = image_classifier.Training | series_classifier.Training


class LabelTargets:
    """The number of the label of each example or, of any number, 1 for each label, otherwise 0."""

    def numbers(self, examples: ClassExamples, head: ClassHead) -> np.ndarray:
        return examples.class_numbers(head.labels)

    def weights(self, examples: ClassExamples) -> list[float] | None:
        return examples.weights

    def weighted(
        self, examples: ClassExamples, head: ClassHead, training: LabelTraining
    ) -> ClassHead:
        return with_class_loss(head, training, lambda: examples.class_numbers(head.labels))

    def objective(self, head: ClassHead, training: LabelTraining) -> Objective:
        return head.objective(training.label_smoothing)


class ValueTargets:
    """The standardized values of each example."""

    def numbers(self, examples: ValuedExamples, head: ValuesHead) -> np.ndarray:
        check_names(examples, head.names)
        return head.standardized(examples.values)

    def weights(self, examples: ValuedExamples) -> None:
        return None

    def weighted(
        self, examples: ValuedExamples, head: ValuesHead, training: ValueLoss
    ) -> ValuesHead:
        return head

    def objective(self, head: ValuesHead, training: ValueLoss) -> Objective:
        return head.objective(training.loss)
