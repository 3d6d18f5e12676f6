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
from zoo.training.options import OPTIMIZATION, TrainingOptions, at_least, epochs

KINDS = LABEL, LABEL_SETS, VALUES, TAGS = ("label", "labels", "values", "tags")


@dataclass(kw_only=True)
class Settings(
    LengthSettings, TextSettings, TaskSettings, LabeledColumns, TextColumn, TableOptions
):
    """Settings of multi-task training."""

    model: str = "bert"
    kinds: dict[str, Any] = option(
        {},
        f"What a task predicts for a text: stars=values; one of {', '.join(KINDS)} (one label, any "
        "number of them, values, a tag for each word). Default: recognized by the columns of its "
        "data.",
        group=DATA,
    )
    labels: dict[str, Any] = option(
        {},
        'Labels of a task in class order, as a JSON list: mrpc=["no","yes"]. Default: those '
        "of the training data, sorted.",
        group=DATA,
    )
    pairs: dict[str, Any] = option(
        {},
        "Whether the inputs of a task are pairs of texts: mrpc=true. Default: as in the "
        "training data.",
        group=DATA,
    )
    task_options: dict[str, Any] = option(
        {},
        "Further options of one task, those of the single task that it is, as a JSON object: "
        'stars={"value_column":"score"}.',
        group=DATA,
    )

    learn_weights: bool = option(
        False,
        "Whether the weights of the losses are learned with the model, by the uncertainty of each "
        "task (Kendall et al. 2018).",
        group=OPTIMIZATION,
    )

    def __post_init__(self) -> None:
        for name, kind in self.kinds.items():
            if kind not in KINDS:
                raise UserError(
                    f"the kind of {name!r} must be one of {', '.join(KINDS)}, got {kind!r}"
                )
        for name, labels in self.labels.items():
            if labels is not None and not isinstance(labels, list):
                raise UserError(f"labels of {name!r} must be a list, got {labels!r}")
        for name, pairs in self.pairs.items():
            if not isinstance(pairs, bool):
                raise UserError(f"pairs of {name!r} must be true or false, got {pairs!r}")
        for name, options in self.task_options.items():
            if not isinstance(options, dict):
                raise UserError(f"options of {name!r} must be a JSON object, got {options!r}")


@dataclass(kw_only=True)
class Training(ClassifierTraining, TrainingOptions):
    """Training options of multi-task training."""

    epochs: int | None = epochs(at_least(STEPS))
    weights: dict[str, Any] = option(
        {},
        "Weight of a task in the loss, a factor of the learned one if weights are learned: mrpc=2. "
        "Default: 1.",
        group=DATA,
    )
    sampling: float = option(
        1.0,
        "How often each task is trained: 1, in proportion to the size of its data; 0, all "
        "equally often; or a value in between, 1 / T for a temperature T.",
        minimum=0,
        group=DATA,
    )
    sampling_end: float | None = option(
        None,
        "The sampling of the last epoch, to which it changes evenly; 0.2 is annealed sampling. "
        "Default: the same in all epochs.",
        minimum=0,
        group=DATA,
    )

    def __post_init__(self) -> None:
        for name, weight in self.weights.items():
            if type(weight) not in (int, float) or not weight >= 0:
                message = f"a number of at least 0, got {weight!r}"
                raise UserError(f"the weight of {name!r} must be {message}")
