"""The pictures of recordings: spectrogram, probabilities of characters, and alignment."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from zoo.attention_map import label
from zoo.report import figures, html
from zoo.tasks.parts import PreviewRow
from zoo.tasks.speech_alignment import Alignment

if TYPE_CHECKING:
    from zoo.tasks.speech_recognizer import SpeechRecognizer

SHOWN = 4  # maximum number of recordings
WIDTH, HEIGHT = 7.5, 1.6  # of each half of a picture, in inches; of more for many characters
ROW = 0.14  # height of a character, in inches
MOST = 40  # maximum number of characters
BLANK = "–"


def section(task: "SpeechRecognizer", examples: Any, rows: Sequence[PreviewRow]) -> str:
    """The section of the page with the first recordings."""
    drawn = []
    for index, row in enumerate(rows[:SHOWN]):
        alignment = task.align(row.input)
        shown = figures.svg(picture(alignment, task.preprocessor.characters), f"speech{index}")
        transcript = "".join(each.character for each in alignment.characters)
        caption = f"{row.source}: {transcript}"
        drawn.append(f"<figure>{shown}<figcaption>{html.text(caption)}</figcaption></figure>")
    return html.section(
        "What it hears",
        "The spectrogram of a recording, low frequencies at the bottom; the probability of each "
        f"character and of the blank ({BLANK}) at each step; and when each character of the most "
        "probable alignment begins.",
        "\n".join(drawn),
    )


def picture(alignment: Alignment, characters: list[str]) -> Any:
    """Draws a recording: spectrogram, probabilities and alignment over the same seconds.

    Args:
        alignment: The alignment.
        characters: The characters of the classes from 1.

    Returns:
        A Matplotlib figure.
    """
    from matplotlib.layout_engine import TightLayoutEngine

    highest = alignment.probabilities.max(axis=0)
    likeliest = np.argsort(-highest, kind="stable")[:MOST]
    chosen = np.sort(likeliest[highest[likeliest] > 1 / len(highest)])
    heights = HEIGHT, max(HEIGHT, ROW * len(chosen))
    figure = figures.new_figure(WIDTH, sum(heights), TightLayoutEngine(h_pad=0.5))
    above, below = figure.subplots(2, sharex=True, height_ratios=heights)
    hop, step = alignment.seconds
    frames, bands = alignment.spectrogram.shape
    end = frames * hop
    colors = {"aspect": "auto", "interpolation": "nearest", "origin": "lower"}
    above.imshow(alignment.spectrogram.T, extent=(0, end, 0, bands), cmap="magma", **colors)
    above.set_yticks([])
    names = [BLANK, *map(label, characters)]
    count = len(chosen)
    extent = (0, len(alignment.probabilities) * step, 0, count)
    likely = alignment.probabilities[:, chosen].T
    below.imshow(likely, extent=extent, cmap="Greys", vmin=0, vmax=1, **colors)
    below.set_yticks(np.arange(count) + 0.5, [names[label] for label in chosen])
    below.set_xlabel("seconds", fontsize=figures.TICKS, color=figures.INK)
    below.tick_params(colors=figures.INK, labelsize=figures.TICKS)
    above.tick_params(colors=figures.INK, labelbottom=False)
    for each in alignment.characters:
        above.axvline(each.start, color="white", linewidth=0.5)
        shown = label(each.character)
        above.text(each.start, bands, shown, fontsize=figures.TICKS, va="bottom", color=figures.INK)
    below.set_xlim(0, end)
    return figure
