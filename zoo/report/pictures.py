"""The section of a report that draws the inputs and the answers of a task."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from zoo.report import (
    captions,
    graphs,
    images,
    labeled_series,
    passages,
    recordings,
    series,
    speech,
)
from zoo.tasks.answered import Answered
from zoo.tasks.parts import Pictures, PreviewRow

if TYPE_CHECKING:
    from zoo.tasks.task import Task

Draw = Callable[[Any, Any, Sequence[PreviewRow]], str]
"""Function from a task, the examples, and the rows that the page shows, to a section."""


def nothing(task: Any, examples: Any, rows: Sequence[PreviewRow]) -> str:
    """No section."""
    return ""


@dataclass(frozen=True)
class Drawing:
    """What draws the pictures of a kind.

    Args:
        inputs: What draws inputs and answers.
        inside: What draws the Keras model itself at work, which an artifact is not.
        named: What that shows, in words.
    """

    inputs: Draw = nothing
    inside: Draw = nothing
    named: str = ""


@dataclass(frozen=True)
class Drawn:
    """A section of the page.

    Args:
        page: The section; may be empty.
        missing: What it cannot have, in words.
    """

    page: str = ""
    missing: Sequence[str] = ()


DRAWINGS: Mapping[Pictures, Drawing] = {
    Pictures.CAPTIONS: Drawing(inside=captions.section, named="where in an image the model looks"),
    Pictures.FORECASTS: Drawing(series.section),
    Pictures.GRAPH: Drawing(
        inside=graphs.section, named="the picture of the nodes by their hidden states"
    ),
    Pictures.IMAGES: Drawing(
        inside=images.section, named="what spatial transformers sample of an image"
    ),
    Pictures.PASSAGES: Drawing(passages.section),
    Pictures.RECORDINGS: Drawing(
        recordings.section, speech.section, "the alignment of characters with recordings"
    ),
    Pictures.SERIES: Drawing(labeled_series.section),
}


def section(task: "Task", answered: Answered | None, rows: Sequence[PreviewRow] = ()) -> Drawn:
    """The section of the page with the pictures of the first inputs.

    Args:
        task: The task, whose part `pictures` says what is drawn.
        answered: The data with the answers to it; None without data.
        rows: The rows that the page shows.
    """
    pictures = task.parts.pictures
    if pictures is None or answered is None:
        return Drawn()
    drawing, examples = DRAWINGS[pictures], answered.examples
    page = drawing.inputs(task, examples, rows)
    if drawing.named and not task.has_keras_model:
        return Drawn(page, [drawing.named])
    return Drawn(page + drawing.inside(task, examples, rows))
