"""The choice of metrics by name, and their measurement on the answers of a model."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence

from zoo.errors import UserError
from zoo.metrics.labels import LabelPredictions
from zoo.metrics.measure import Measure, Rows, value_of
from zoo.metrics.resampling import SEED
from zoo.nearest import offered
from zoo.registry import METRICS
from zoo.registry.metrics import LABELS
from zoo.registry_rows import MetricRow, resolve
from zoo.tasks.measurement import Mean, Measured, Measurement

Judged = Mapping[str, Callable[[], Rows]]
"""Functions that return rows of answers beside correct ones, by the kind of answer."""

JudgedTasks = Mapping[str, Judged]
"""The answers of each of several tasks, by its name; those of a single task by ""."""


def label_rows(judged: Judged) -> LabelPredictions | None:
    """The rows of answers of one label each, if a task has such."""
    rows = judged[LABELS]() if LABELS in judged else None
    return rows if isinstance(rows, LabelPredictions) else None


def fitting(judged: Judged) -> dict[str, MetricRow]:
    """The metrics that fit the answers of a task, by name."""
    return {row.name: row for kind in judged for row in METRICS if kind in row.kinds}


def chosen(
    judged: JudgedTasks, names: Sequence[str] | None, task: str, required: bool = True
) -> dict[str, list[MetricRow]]:
    """The metrics of each task with some names, or those that are measured by default, in order.

    Args:
        judged: The kinds of answers of each task.
        names: Names of metrics, of one of several tasks after its name, such as `films_accuracy`;
            or None.
        task: Name of the task, for messages.
        required: Whether a name that does not fit is an error, and not left out.

    Raises:
        UserError: If no metric with a name fits; the message lists those that do.
    """
    known = {name: fitting(own) for name, own in judged.items()}
    if names is None:
        return {
            name: [row for row in known[name].values() if {*own} & {*row.default}]
            for name, own in judged.items()
        }
    rows: dict[str, dict[str, MetricRow]] = {name: {} for name in judged}
    for given in names:
        fits = False
        for name, own in known.items():
            short = given.removeprefix(f"{name}_") if name else given
            row = own.get(given) or own.get(short) or _by_other_name(own, short)
            if row is not None:
                rows[name][row.name], fits = row, True
        if required and not fits:
            raise UserError(_no_such_metric(given, known, task))
    return {name: [*own.values()] for name, own in rows.items()}


def measurement(
    judged: JudgedTasks,
    rows: Mapping[str, Sequence[MetricRow]],
    path: str,
    mean: Mean | None = None,
    required: bool = True,
) -> Measurement:
    """Measures metrics.

    Args:
        judged: The rows of answers of each task, by kind; only those that some metric needs are
            computed.
        rows: The metrics of each task.
        path: Path of the data, for messages.
        mean: The metric that is the mean of others, if there is one.
        required: Whether a metric that is undefined is an error, and not left out.

    Raises:
        UserError: If a metric is undefined.
    """
    parts = []
    for number, (task, kinds) in enumerate(judged.items()):
        before = f"{task}_" if task else ""
        for kind, answers in kinds.items():
            own = [row for row in rows[task] if kind in row.kinds]
            if not own:
                continue
            answered = answers()
            measures = {
                before + name: measure for name, measure in _measures(own, answered, path, required)
            }
            parts.append(Measured(answered, measures, SEED + number))
    return Measurement(parts, mean)


def default_values(judged: Judged) -> dict[str, float]:
    """The values of the metrics of a single task that are measured if none is named.

    Example:
        >>> rows = LabelPredictions(["a", "b"], ["a", "a"], ["a", "b"], [[1, 0], [1, 0]])
        >>> default_values({LABELS: lambda: rows})["accuracy"]
        0.5
    """
    tasks = {"": judged}
    return measurement(tasks, chosen(tasks, None, ""), "", required=False).values


def _measures(
    rows: Sequence[MetricRow], answered: Rows, path: str, required: bool
) -> Iterator[tuple[str, Measure]]:
    for row in rows:
        measures = resolve(row.path)(answered)
        known = {
            name: measure
            for name, measure in measures.items()
            if not math.isnan(value_of(measure, len(answered)))
        }
        if required and (not known or len(known) < len(measures)):
            needed = row.needs or "more rows"
            raise UserError(f"{path}: {row.name} needs {needed}: leave it out of the metrics")
        yield from known.items()


def _by_other_name(rows: Mapping[str, MetricRow], name: str) -> MetricRow | None:
    """The metric that is also known by a name."""
    return next((row for row in rows.values() if row.also == name), None)


def _no_such_metric(name: str, known: Mapping[str, Mapping[str, MetricRow]], task: str) -> str:
    fits = [*dict.fromkeys(each for own in known.values() for each in own)]
    if any(name in (row.name, row.also) for row in METRICS):
        return f"the metric {name} does not fit {task}; choose from {', '.join(fits)}"
    return f"unknown metric {name!r} for {task}; {offered(name, fits)}"
