"""The loss of labels that are rare, or easy to tell."""

from collections.abc import Callable
from typing import TypeVar

import numpy as np

from zoo.heads.head import ClassHead
from zoo.tasks.options.class_loss import FOCAL, ClassLoss

H = TypeVar("H", bound=ClassHead)


def with_class_loss(head: H, training: ClassLoss, classes: Callable[[], np.ndarray]) -> H:
    """The head with the weights of labels and the focal loss that training options ask for.

    Args:
        head: The head.
        training: The training options.
        classes: Returns the class numbers of all rows of the training data.

    Raises:
        UserError: If a row can have several labels, or the data are prepared.
    """
    if training.loss == FOCAL:
        head = head.focal(training.focal_gamma)
    return head if training.class_weight is None else head.balanced(classes())
