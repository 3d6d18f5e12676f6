"""The comparison of a model that was just trained with baselines."""

from contextlib import suppress
from typing import TYPE_CHECKING

from zoo.data_statistics import discarding
from zoo.errors import UserError
from zoo.tasks.comparison import Comparison
from zoo.tasks.evaluation import baseline_scores, measure
from zoo.training.history import History

if TYPE_CHECKING:
    from zoo.tasks.fit import FittingData
    from zoo.tasks.task import Task

ROWS = 200  # maximum number of rows that a model answers if training computed no such metric
TRAINED_ROWS = 32  # the same of the training data
VALIDATION = "val_"  # before the names of metrics in a history


def compared(task: "Task", fitting: "FittingData", history: History) -> Comparison:
    """The metrics of the best epoch beside those of baselines.

    They are those of training, if baselines have such a metric; otherwise those of `evaluate`, on
    some of the validation data. Without validation data, they are those of some of the training
    data, with the weakest baseline alone: others may know these rows by heart.

    Args:
        task: The trained task.
        fitting: Its data.
        history: The history of the training.
    """
    if fitting.held_out is None:
        return _on_some(task, fitting, TRAINED_ROWS).with_weakest_baseline()
    if not fitting.baselines:
        return Comparison({})
    best = history.best_epoch - 1
    of_epoch = {
        name.removeprefix(VALIDATION): values[best]
        for name, values in history.history.items()
        if name.startswith(VALIDATION) and 0 <= best < len(values) and values[best] is not None
    }
    order = sorted(of_epoch, key=lambda name: name == "loss")  # the metric first
    comparison = Comparison({name: of_epoch[name] for name in order}, fitting.baselines)
    return comparison if comparison.of_baselines() else _on_some(task, fitting, ROWS)


def _on_some(task: "Task", fitting: "FittingData", most: int) -> Comparison:
    """The metrics of `evaluate`; none of prepared data, which has no inputs."""
    examples = fitting.checked
    with suppress(UserError), discarding():
        if len(examples) > most:
            _, examples = examples.split(most / len(examples))
        examples = task.parts.answer.to_score(examples, task.settings, {})
        scores = measure(task, examples, task.runner(), {}).values
        return Comparison(scores, baseline_scores(task, examples))
    return Comparison({})
