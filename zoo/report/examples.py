"""The examples of a report: rows of the data with their predictions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from zoo.data.examples import ExampleRow
from zoo.metrics.labels import LabelPredictions
from zoo.report import chosen, sections
from zoo.tasks.answered import Answered
from zoo.tasks.parts import Pictures, PreviewRow

if TYPE_CHECKING:
    from zoo.tasks.task import Task

GROUPS = 3  # the number of rows is divided by this for each group of them
NAMES: Mapping[Pictures | None, str] = {  # what an input is
    Pictures.CAPTIONS: "image",
    Pictures.FORECASTS: "series",
    Pictures.GRAPH: "node",
    Pictures.IMAGES: "image",
    Pictures.PASSAGES: "question",
    Pictures.RECORDINGS: "recording",
    Pictures.SERIES: "series",
}


def what_of(task: "Task") -> str:
    """What an input of the task is."""
    return NAMES.get(task.parts.pictures, "text")


@dataclass(frozen=True)
class Shown:
    """Rows of the data: the first ones or, of labels, those that were chosen.

    Args:
        rows: The rows, with their predictions.
        labels: All rows of the data, if each has one label, and the chosen ones are shown.
        named: The inputs of all rows, for `labels`.
        groups: The groups of chosen rows.
    """

    rows: Sequence[PreviewRow]
    labels: LabelPredictions | None = None
    named: Sequence[ExampleRow] = ()
    groups: Sequence[chosen.Group] = ()

    @classmethod
    def of(
        cls, task: "Task", answered: Answered | None, count: int, labels: LabelPredictions | None
    ) -> "Shown":
        """The rows to show.

        Args:
            task: The task.
            answered: The data with the answers to it; None without data.
            count: About the number of rows.
            labels: The answers to the data, if each row has one label.
        """
        if answered is None:
            return cls([])
        if labels is not None and task.parts.pictures is not Pictures.GRAPH:
            examples = answered.examples
            named = task.parts.input.first_rows(examples, len(examples))
            if len(named) == len(labels):
                groups = chosen.groups(labels, max(1, count // GROUPS))
                numbers = [number for group in groups for number in group.rows]
                rows = [_row(named[number], labels, number) for number in numbers]
                return cls(rows, labels, named, groups)
        return cls(answered.preview(count))

    def section(self, task: "Task") -> str:
        """The section of the page; empty without rows, and of forecasts, which are drawn."""
        pictures = task.parts.pictures
        what, explanation = what_of(task), task.parts.preview
        if self.labels is not None:
            drawn = _pixels_of(task) if pictures is Pictures.IMAGES else None
            return chosen.section(self.labels, self.named, self.groups, explanation, what, drawn)
        if pictures is Pictures.FORECASTS:
            return ""
        return sections.predictions(
            self.rows,
            explanation,
            task.parts.answer.is_judged(task.settings),
            what,
            task.parts.answer.marks_differences,
        )


def _pixels_of(task: "Task") -> chosen.Drawn:
    def pixels(row: ExampleRow) -> np.ndarray:
        fitted: np.ndarray = task.preprocessor.fitted(row.data)
        return fitted

    return pixels


def _row(row: ExampleRow, labels: LabelPredictions, number: int) -> PreviewRow:
    return PreviewRow(row.name, labels.predictions[number], labels.references[number], row.data)
