"""The section of a report that draws the inputs and the answers of a task."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from zoo.report import captions, graphs, images, labeled_series, passages, series, speech
from zoo.tasks.parts import Pictures, PreviewRow

if TYPE_CHECKING:
    from zoo.tasks.task import Task

SECTIONS: Mapping[Pictures, Callable[[Any, Any], str]] = {
    Pictures.CAPTIONS: captions.section,
    Pictures.FORECASTS: series.section,
    Pictures.GRAPH: graphs.section,
    Pictures.PASSAGES: passages.section,
    Pictures.RECORDINGS: speech.section,
    Pictures.SERIES: labeled_series.section,
}


def section(task: "Task", data: Any, rows: Sequence[PreviewRow] = ()) -> str:
    """The section of the page with the pictures of the first inputs; empty without pictures.

    Args:
        task: The task, whose part `pictures` says what is drawn.
        data: A file or a list, in the form that `fit` takes.
        rows: The rows that the page shows.
    """
    pictures = task.parts.pictures
    if pictures is Pictures.IMAGES:
        return images.section(task, rows)
    return "" if pictures is None else SECTIONS[pictures](task, data)
