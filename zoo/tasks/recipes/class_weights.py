"""Weights of labels in the loss, by how many rows have each."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from zoo.errors import UserError
from zoo.heads.head import Head
from zoo.heads.label import LabelHead
from zoo.heads.labels import LabelsHead
from zoo.option_names import option_name
from zoo.tasks.options.class_loss import FOCAL, ClassLoss
from zoo.training.class_loss import balanced_weights


def check_class_loss(head: Head, training: ClassLoss) -> None:
    """Raises a `UserError` if options of one label are given where there may be several."""
    if not isinstance(head, LabelsHead):
        return
    if training.class_weight is not None:
        raise UserError(
            f"{option_name('class_weight')} is for inputs with one label each, not for several"
        )
    if training.loss == FOCAL:
        raise UserError("focal loss is for inputs with one label each, not for several")


def balanced(head: LabelHead, classes: Sequence[int] | np.ndarray) -> LabelHead:
    """The head with weights with which each label has the same part in the loss.

    Args:
        head: The head.
        classes: The class numbers of all rows of the training data.
    """
    counts = np.bincount(np.asarray(classes), minlength=len(head.labels))
    return replace(head, class_weights=balanced_weights(counts))
