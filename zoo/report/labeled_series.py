"""The pictures of series with labels or values: their steps, with the prediction."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from zoo.report import figures, html
from zoo.report.judged import judged
from zoo.tasks.parts import PreviewRow

if TYPE_CHECKING:
    from zoo.tasks.task import Task

SHOWN = 12  # maximum number of series
LINES = 6  # maximum number of values of a step that are drawn
WIDTH, HEIGHT = 2.6, 1.5  # of a picture, in inches


def section(task: "Task", examples: Any, rows: Sequence[PreviewRow]) -> str:
    """The section of the page with the first series of the data."""
    drawn = []
    for number, row in enumerate(rows[:SHOWN]):
        caption = f"{row.source}: {judged(row, task.parts.answer.one_answer)}"
        line = figures.svg(picture(row.input.values), f"labeled-series-{number}")
        drawn.append(f"<figure>{line}<figcaption>{html.text(caption)}</figcaption></figure>")
    names = html.text(", ".join(task.preprocessor.targets[:LINES]))
    return html.section(
        "Series",
        f"The values of each step ({names}), with what the model predicts, and what the data says.",
        f'<div class="pictures">{"".join(drawn)}</div>',
    )


def picture(values: Any) -> Any:
    """Draws a series.

    Args:
        values: Values (T, C), NaN where missing.

    Returns:
        A Matplotlib figure with a line for each of the first channels.
    """
    figure = figures.new_figure(WIDTH, HEIGHT, "tight")
    axes = figure.add_subplot()
    for channel in range(min(LINES, values.shape[1])):
        axes.plot(values[:, channel], color=f"C{channel}", linewidth=1)
    axes.tick_params(labelsize=figures.TICKS, colors=figures.INK)
    axes.margins(x=0.02)
    return figure
