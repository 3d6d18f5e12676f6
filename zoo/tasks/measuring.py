"""The choice of metrics by name, and their values and intervals on the answers of a model."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from zoo.errors import UserError
from zoo.metrics.labels import LabelRows
from zoo.metrics.measure import Measure, Measures, Rows, value_of
from zoo.metrics.resampling import Difference, differences, intervals
from zoo.registry import METRICS
from zoo.registry.metrics import LABELS
from zoo.registry_rows import MetricRow, resolve

Judged = Mapping[str, Callable[[], Rows]]
"""Functions that return rows of answers beside correct ones, by the kind of answer."""


@dataclass(frozen=True)
class Measured:
    """Metrics of rows of answers.

    Args:
        answers: The answers.
        measures: The metrics by name.
    """

    answers: Rows
    measures: Measures

    @property
    def rows(self) -> int:
        """The number of rows."""
        return len(self.answers)

    @property
    def values(self) -> dict[str, float]:
        """The value of each metric on all rows."""
        return {name: value_of(measure, self.rows) for name, measure in self.measures.items()}

    @property
    def intervals(self) -> dict[str, tuple[float, float]]:
        """The 95 % interval of each metric."""
        return intervals(self.measures, self.rows)


def label_rows(judged: Judged) -> LabelRows | None:
    """The rows of answers of one label each, if a task has such."""
    rows = judged[LABELS]() if LABELS in judged else None
    return rows if isinstance(rows, LabelRows) else None


def fitting(judged: Judged) -> dict[str, MetricRow]:
    """The metrics that fit the answers of a task, by name."""
    return {row.name: row for kind in judged for row in METRICS if kind in row.kinds}


def chosen(judged: Judged, names: Sequence[str] | None, task: str) -> list[MetricRow]:
    """The metrics with some names, or those that are measured by default, in order.

    Args:
        judged: The kinds of answers of a task, the main one first.
        names: Names of metrics, or None.
        task: Name of the task, for messages.

    Raises:
        UserError: If there is no such metric; the message lists those that fit.
    """
    known = fitting(judged)
    if not known:
        raise UserError(f"{task} has no choice of metrics")
    if names is None:
        return [row for row in known.values() if next(iter(judged)) in row.default]
    by_name = {**{row.also: row for row in known.values() if row.also}, **known}
    for name in names:
        if name not in by_name:
            raise UserError(f"unknown metric {name!r} for {task}; choose from {', '.join(known)}")
    return [*{by_name[name].name: by_name[name] for name in names}.values()]


def measured(judged: Judged, rows: Sequence[MetricRow], path: str) -> list[Measured]:
    """The metrics of each kind of answer.

    Args:
        judged: The rows of answers, by kind; only those that some metric needs are computed.
        rows: The metrics.
        path: Path of the data, for messages.

    Raises:
        UserError: If a metric is undefined.
    """
    every = []
    for kind, answers in judged.items():
        own = [row for row in rows if kind in row.kinds]
        if not own:
            continue
        answered = answers()
        every.append(Measured(answered, dict(_measures(own, answered, path))))
    return every


def _measures(
    rows: Sequence[MetricRow], answered: Rows, path: str
) -> Iterator[tuple[str, Measure]]:
    for row in rows:
        for name, measure in resolve(row.path)(answered).items():
            if math.isnan(value_of(measure, len(answered))):
                needed = row.needs or "more rows"
                raise UserError(f"{path}: {row.name} needs {needed}: leave it out of the metrics")
            yield name, measure


def compared(ours: Sequence[Measured], theirs: Sequence[Measured]) -> dict[str, Difference]:
    """The metrics of two models on the same rows.

    Raises:
        UserError: If the correct answers differ.
    """
    by_name: dict[str, Difference] = {}
    for one, other in zip(ours, theirs, strict=True):
        if one.answers.expected != other.answers.expected:
            raise UserError(
                "the runs cannot be compared row by row: with their columns, tokenizers or "
                "settings, the data have other correct answers"
            )
        by_name |= differences(one.measures, other.measures, one.rows)
    return by_name
