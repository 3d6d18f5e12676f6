"""The examples of a report: rows of the data with their predictions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from zoo.data.examples import ExampleRow
from zoo.metrics.labels import LabelPredictions
from zoo.report import chosen, images, judged_texts, sections
from zoo.tasks.answered import Answered
from zoo.tasks.parts import Pictures, PreviewRow

if TYPE_CHECKING:
    from zoo.tasks.task import Task

ICON = 96  # pixels of the longer side of a small image
OF_PIXELS = (Pictures.IMAGES, Pictures.CAPTIONS)  # whose inputs are images
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
        note: A sentence on which rows they are.
    """

    rows: Sequence[PreviewRow]
    labels: LabelPredictions | None = None
    named: Sequence[ExampleRow] = ()
    groups: Sequence[chosen.Group] = ()
    note: str = ""

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
        if written := judged_texts.rows_of(answered, count):
            return cls(written, note=" A half of them are those that differ most.")
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
        icons = [_icon(task, row.input) for row in self.rows if pictures in OF_PIXELS]
        return sections.predictions(
            self.rows,
            explanation + self.note,
            task.parts.answer.is_judged(task.settings),
            what,
            task.parts.answer.marks_differences,
            icons,
        )


def _pixels_of(task: "Task") -> chosen.Drawn:
    return lambda row: _icon(task, row.data)


def _icon(task: "Task", image: Any) -> str:
    return images.picture(images.shrunk(images.pixels_of(task, image), ICON), side=images.SMALL)


def _row(row: ExampleRow, labels: LabelPredictions, number: int) -> PreviewRow:
    return PreviewRow(row.name, labels.predictions[number], labels.references[number], row.data)
