"""Examples of labels for a report: chosen across classes, and by how sure the model is."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from zoo.data.examples import ExampleRow
from zoo.metrics.labels import LabelPredictions
from zoo.report import html

Drawn = Callable[[ExampleRow], str] | None  # function to a small picture of an input, as HTML


@dataclass(frozen=True)
class Group:
    """Some rows of the data, and what they have in common.

    Args:
        title: What that is.
        rows: Their numbers.
    """

    title: str
    rows: list[int]


def groups(rows: LabelPredictions, count: int) -> list[Group]:
    """Rows that the model gets right and wrong, and those of which it is least and most sure.

    How sure it is, is its best score.

    A row is in one group at most, and each group has rows of as many labels as it can.

    Args:
        rows: The rows.
        count: Maximum number of rows of a group.

    Example:
        >>> scores = np.array([[0.9, 0.1], [0.2, 0.8], [0.9, 0.1], [0.45, 0.55]])
        >>> rows = LabelPredictions(["a", "b", "b", "b"], ["a", "b", "a", "b"], ["a", "b"], scores)
        >>> [(group.title, group.rows) for group in groups(rows, 1)]
        [('Wrong, and most sure, of each label', [2]), ('Least sure', [3]), ('Right', [0])]
    """
    right, taken = rows.true == rows.predicted, np.zeros(len(rows), bool)
    chosen: list[Group] = []

    def add(title: str, fits: np.ndarray, order: np.ndarray) -> None:
        left = [number for number in order.tolist() if fits[number] and not taken[number]]
        across = {*_across(rows.true, left, count)}
        numbers = [number for number in left if number in across]
        if numbers:
            taken[numbers] = True
            chosen.append(Group(title, numbers))

    every = np.arange(len(rows))
    if rows.scores is not None and rows.scores.shape[1] > 1:
        best = rows.scores.max(axis=1)
        add("Wrong, and most sure, of each label", ~right, np.argsort(-best, kind="stable"))
        add("Least sure", np.ones(len(rows), bool), np.argsort(best, kind="stable")[:count])
    add("Wrong", ~right, every)
    add("Right", right, every)
    return chosen


def _across(labels: np.ndarray, numbers: Iterable[int], count: int) -> list[int]:
    """The first rows of each label in turn, in their order."""
    ranks: dict[int, int] = {}
    turns = []
    for index, number in enumerate(numbers):
        label = int(labels[number])
        ranks[label] = ranks.get(label, 0) + 1
        turns.append((ranks[label], index, number))
    return [number for _, _, number in sorted(turns)[:count]]


def section(
    rows: LabelPredictions,
    named: Sequence[ExampleRow],
    chosen: Sequence[Group],
    explanation: str,
    what: str,
    drawn: Drawn = None,
) -> str:
    """The section of the page with the groups, each of which can be closed.

    Args:
        rows: The rows.
        named: The inputs of all rows.
        chosen: The groups.
        explanation: What the section shows.
        what: What an input is, such as "text".
        drawn: Function to a small picture of an input, if inputs are images.
    """
    right = int((rows.true == rows.predicted).sum())
    explanation += f" {right:,} of {len(rows):,} are right."
    parts = [
        f'<details class="answers" open><summary>{html.text(group.title)}</summary>'
        f"{_table(rows, named, group, what, drawn)}</details>"
        for group in chosen
    ]
    return html.section("Predictions", explanation, *parts)


def _table(
    rows: LabelPredictions, named: Sequence[ExampleRow], group: Group, what: str, drawn: Drawn
) -> str:
    cells = []
    for number in group.rows:
        right = rows.true[number] == rows.predicted[number]
        mark = '<td class="mark">✓</td>' if right else '<td class="mark no">✗</td>'
        score = "" if rows.scores is None else f"{rows.scores[number].max():.3f}"
        own = [mark, html.shortened(named[number].name)]
        if drawn is not None:
            own.insert(1, drawn(named[number]))
        labels = (rows.predictions[number] or "(none)", rows.references[number])
        cells.append([*own, *map(html.text, labels), score])
    pictures = [] if drawn is None else [""]
    columns = ["", *pictures, what, "prediction", "reference", "score"]
    return html.table(columns, cells, numbers=1)
