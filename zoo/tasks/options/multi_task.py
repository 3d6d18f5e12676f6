"""Options of multi-task training."""

from dataclasses import dataclass
from typing import Any

from zoo.errors import UserError
from zoo.options import option
from zoo.tasks.options.common import (
    ClassifierTraining,
    LengthSettings,
    TaskSettings,
    TextSettings,
)
from zoo.tasks.options.encoded_texts import STEPS
from zoo.tasks.options.table_columns import DATA, LabeledColumns, TableOptions, TextColumn
from zoo.training.options import TrainingOptions, at_least, epochs


@dataclass(kw_only=True)
class Settings(
    LengthSettings, TextSettings, TaskSettings, LabeledColumns, TextColumn, TableOptions
):
    """Settings of multi-task training."""

    model: str = "bert"
    labels: dict[str, Any] = option(
        {},
        'Labels of a classifier in class order, as a JSON list: mrpc=["no","yes"]. Default: those '
        "of the training data, sorted.",
        group=DATA,
    )
    pairs: dict[str, Any] = option(
        {},
        "Whether the inputs of a classifier are pairs of texts: mrpc=true. Default: as in the "
        "training data.",
        group=DATA,
    )

    def __post_init__(self) -> None:
        for name, labels in self.labels.items():
            if not isinstance(labels, list):
                raise UserError(f"labels of {name!r} must be a list, got {labels!r}")
        for name, pairs in self.pairs.items():
            if not isinstance(pairs, bool):
                raise UserError(f"pairs of {name!r} must be true or false, got {pairs!r}")


@dataclass(kw_only=True)
class Training(ClassifierTraining, TrainingOptions):
    """Training options of multi-task training."""

    epochs: int | None = epochs(at_least(STEPS))
    weights: dict[str, Any] = option(
        {}, "Weight of a classifier in the loss: mrpc=2. Default: 1.", group=DATA
    )
    sampling: float = option(
        1.0,
        "How often each classifier is trained: 1, in proportion to the size of its data; 0, all "
        "equally often; or a value in between.",
        minimum=0,
        group=DATA,
    )

    def __post_init__(self) -> None:
        for name, weight in self.weights.items():
            if type(weight) not in (int, float) or not weight >= 0:
                message = f"a number of at least 0, got {weight!r}"
                raise UserError(f"the weight of {name!r} must be {message}")
