"""The comparison of a model that was just trained with baselines."""

from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from zoo.data.held_out import Fold
from zoo.data_statistics import discarding
from zoo.errors import UserError
from zoo.tasks.comparison import Comparison
from zoo.tasks.evaluation import baseline_scores, measure
from zoo.tasks.measured_on import MeasuredOn, Seen
from zoo.tasks.provenance import files_of, names_of
from zoo.tasks.resuming import DATA
from zoo.tasks.resuming import VALIDATION as VALIDATION_DATA
from zoo.training.history import History

if TYPE_CHECKING:
    from zoo.tasks.fit import FittingData
    from zoo.tasks.task import Task

ROWS = 200  # maximum number of rows that a model answers if training computed no such metric
TRAINED_ROWS = 32  # the same of the training data
VALIDATION = "val_"  # before the names of metrics in a history


def compared(
    task: "Task", fitting: "FittingData", history: History, most: int = ROWS
) -> Comparison:
    """The metrics of the best epoch beside those of baselines.

    They are those of training, if baselines have such a metric; otherwise those of `evaluate`, on
    some of the validation data. Without validation data, they are those of some of the training
    data, with the weakest baseline alone: others may know these rows by heart.

    Args:
        task: The trained task.
        fitting: Its data.
        history: The history of the training.
        most: Maximum number of validation rows to answer, if training computed no such metric.
    """
    if fitting.held_out is None:
        return _on_some(task, fitting, TRAINED_ROWS).with_weakest_baseline()
    if not fitting.baselines:
        return Comparison({})
    comparison = of_best_epoch(fitting, history)
    return comparison if comparison.of_baselines() else _on_some(task, fitting, most)


def of_best_epoch(fitting: "FittingData", history: History) -> Comparison:
    """The metrics that training computed on the validation data for the best epoch, and baselines.

    Args:
        fitting: The data of the training.
        history: Its history.
    """
    best = history.best_epoch - 1
    of_epoch = {
        name.removeprefix(VALIDATION): values[best]
        for name, values in history.history.items()
        if name.startswith(VALIDATION) and 0 <= best < len(values) and values[best] is not None
    }
    order = sorted(of_epoch, key=lambda name: name == "loss")  # the metric first
    return Comparison({name: of_epoch[name] for name in order}, fitting.baselines)


def keep(task: "Task", comparison: Comparison) -> None:
    """Lets a task keep its metrics on the validation data, beside those of baselines.

    The loss of training is kept if there is no other metric alone.
    """
    baselines = {
        f"{name}_{metric}": value
        for name, scores in comparison.of_baselines().items()
        for metric, value in scores.items()
    }
    model = {name: float(x) for name, x in comparison.model.items() if name != "loss"}
    task.metrics = {**(model or comparison.model), **baselines}
    on = validation_of(task.files)
    some = f"{comparison.rows:,} rows of " if comparison.rows and on.names else ""
    task.evaluated_on = on._replace(names=f"{some}{on.names}")


def _on_some(task: "Task", fitting: "FittingData", most: int) -> Comparison:
    """The metrics of `evaluate`; none of prepared data, which has no inputs."""
    examples = fitting.checked
    with suppress(UserError), discarding():
        if len(examples) > most:
            _, examples = examples.split(most / len(examples))
        examples = task.parts.answer.to_score(examples, task.settings, {})
        scores = measure(task, examples, task.runner(), {}).values
        rows = len(examples) if len(examples) < len(fitting.checked) else None
        return Comparison(scores, baseline_scores(task, examples), rows=rows)
    return Comparison({})


def validation_of(files: Mapping[str, Any]) -> MeasuredOn:
    """The validation data of a training.

    Args:
        files: The files of a task, as `record_data` keeps them.

    Example:
        >>> files = {"data": ["/home/me/reviews.csv"], "validation_data": 0.1}
        >>> str(validation_of(files))
        '10% of reviews.csv, the validation data'
    """
    trained, held_out = (files_of(files.get(key)) for key in (DATA, VALIDATION_DATA))
    if not isinstance(held_out, float | Fold | None):
        return MeasuredOn(names_of(held_out), Seen.SELECTED)
    part = f"{100 * held_out:g}%" if isinstance(held_out, float) else str(held_out or "")
    names = names_of(trained)
    return MeasuredOn(" of ".join(filter(None, (part, names))) if names else "", Seen.SELECTED)
