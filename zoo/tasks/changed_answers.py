"""Rows that two models answer differently, and whether one is right more often by chance."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, lgamma, log
from typing import Any

from zoo.errors import UserError
from zoo.metrics.resampling import Difference
from zoo.tasks.task import Task


@dataclass(frozen=True)
class ChangedRow:
    """A row that two models answer differently.

    Args:
        number: Its number in the data, from 1.
        source: The input.
        answer: The answer of the first model.
        other: That of the other one.
        reference: The correct answer; None if it is unknown.
    """

    number: int
    source: str
    answer: str
    other: str
    reference: str | None


@dataclass(frozen=True)
class Changes:
    """What changes between two models.

    Args:
        rows: The number of all rows.
        changed: Those that are answered differently.
        lost: The number of rows that only the first model gets right.
        gained: That of those that only the other one gets right.
        metrics: The metrics of both, by name.
    """

    rows: int
    changed: Sequence[ChangedRow]
    lost: int
    gained: int
    metrics: dict[str, Difference]

    @property
    def p(self) -> float:
        """The probability of at least such a difference of lost and gained rows by chance."""
        return mcnemar(self.lost, self.gained)


def mcnemar(lost: int, gained: int) -> float:
    """The exact two-sided p of McNemar's test.

    Source: McNemar 1947; the exact form is a binomial test.
    Formula: `p = min(1, 2 sum_{k <= min(b, c)} C(n, k) / 2^n)`, with n = b + c

    Args:
        lost: The number b of pairs in which only the first is right.
        gained: The number c of those in which only the second is.

    Example:
        >>> round(mcnemar(1, 7), 6), mcnemar(3, 3), mcnemar(0, 0)
        (0.070312, 1.0, 1.0)
    """
    n = lost + gained
    terms = [
        exp(lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1) - n * log(2))
        for k in range(min(lost, gained) + 1)
    ]
    return min(1.0, 2 * sum(terms))


def changes(task: Task, other: Task, data: Any) -> Changes:
    """What changes from the answers of one model to those of another.

    Args:
        task: The first model.
        other: The other one, of the same task.
        data: A file or a list, in the form that `fit` takes.

    Raises:
        UserError: If the tasks differ, or read other rows.
    """
    if task.name != other.name:
        raise UserError(f"a run of {task.name} cannot be compared with one of {other.name}")
    both = [each.answered(data) for each in (task, other)]
    more_rows = task.parts.answer.more_rows
    metrics = both[0].measurement().compared(both[1].measurement(), more_rows)
    first, second = (each.rows() for each in both)
    if [row.source for row in first] != [row.source for row in second]:
        raise UserError("the runs do not read the same rows of the data, so they have no pairs")
    pairs = [*zip(first, second, strict=True)]
    changed = [
        ChangedRow(number, a.source, a.prediction, b.prediction, a.reference)
        for number, (a, b) in enumerate(pairs, 1)
        if a.prediction != b.prediction
    ]
    known = [x for x in changed if x.reference is not None]
    judged = task.parts.answer.is_judged(task.settings)
    lost = sum(x.answer == x.reference for x in known) if judged else 0
    gained = sum(x.other == x.reference for x in known) if judged else 0
    return Changes(len(pairs), changed, lost, gained, metrics)
