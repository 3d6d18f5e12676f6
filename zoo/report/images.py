"""Images in a report, each beside what the spatial transformers sampled."""

import base64
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from zoo.data.images.arrays import as_pixels
from zoo.data.images.content import content_of
from zoo.data.images.decode import decode, with_channels
from zoo.data_statistics import discarding
from zoo.report import html
from zoo.report.judged import judged
from zoo.tasks.parts import PreviewRow
from zoo.tasks.transformer_samples import transformer_samples

if TYPE_CHECKING:
    from zoo.tasks.task import Task

SHOWN = 12  # maximum number of images
SIDE, SMALL = 132, 48  # of a picture, and of one in a table, in pixels


def section(task: "Task", examples: Any, rows: Sequence[PreviewRow]) -> str:
    """The section of the page with some images of the data; empty without transformers.

    Source: Jaderberg et al. 2015, figure 1.
    """
    if not task.model.all_transformers:
        return ""
    drawn = [
        _figure(task, row.input, judged(row, task.parts.answer.is_judged(task.settings)))
        for row in rows[:SHOWN]
    ]
    inside = "\n".join(drawn)
    return html.section(
        "Where it looks",
        "Left the image in the size that the model reads, with the outline of what each spatial "
        "transformer at the image samples; right what it samples.",
        f'<div class="pictures">\n{inside}\n</div>',
    )


def _figure(task: "Task", image: Any, caption: str) -> str:
    pixels = task.preprocessor.fitted(image)
    # Only the first transformers look at the image itself; others look at features.
    count = len(task.model.transformers.get(0, []))
    with discarding():  # the notes on the data have counted what is resized
        samples = transformer_samples(task, image)[:count]
    outlines = [sample.outline() for sample in samples]
    pictures = [picture(pixels, outlines)]
    pictures += [picture(255 * sample.sampled) for sample in samples]
    shown = f"<figcaption>{html.text(caption)}</figcaption>"
    return f'<figure><div class="beside">{"".join(pictures)}</div>{shown}</figure>'


def picture(pixels: np.ndarray, outlines: Any = (), side: int = SIDE) -> str:
    """An `<svg>` element with an image and outlines on it.

    Args:
        pixels: Array (H, W, C) from 0 to 255.
        outlines: Points (P, 2) from -1 at the left and upper edges to 1 at the right and lower.
        side: The width, in pixels.
    """
    height, width = pixels.shape[:2]
    high = round(side * height / width)
    lines = "".join(
        f'<polygon points="{_points(each, width, height)}" fill="none" stroke="var(--accent)" '
        'stroke-width="2" vector-effect="non-scaling-stroke"/>'
        for each in outlines
    )
    return (
        f'<svg viewBox="0 0 {width} {height}" width="{side}" height="{high}">'
        f'<image href="{encoded(pixels)}" width="{width}" height="{height}" '
        f'image-rendering="pixelated"/>{lines}</svg>'
    )


def pixels_of(task: "Task", image: Any) -> np.ndarray:
    """An image as it was given, in the colors that the model reads, (H, W, C) from 0 to 255.

    Args:
        task: The task, whose model may read a smaller size.
        image: The path of a file, or an array.
    """
    channels = task.preprocessor.shape.channels
    if isinstance(image, str):
        return np.asarray(decode(content_of(Path(image)), channels))
    return np.asarray(with_channels(as_pixels(image, "image"), channels))


def shrunk(pixels: np.ndarray, most: int) -> np.ndarray:
    """An image with no side longer than a number of pixels, each the mean of a square.

    Args:
        pixels: Array (H, W, C); rows and columns that fill no square are left out.
        most: The number.

    Example:
        >>> shrunk(np.arange(8.0).reshape(2, 4, 1), 2).tolist()
        [[[2.5], [4.5]]]
    """
    step = -(-max(pixels.shape[:2]) // most)
    step = min(step, *pixels.shape[:2])
    height, width = (size // step for size in pixels.shape[:2])
    squares = pixels[: height * step, : width * step].reshape(height, step, width, step, -1)
    means: np.ndarray = squares.mean(axis=(1, 3))
    return means


def _points(outline: np.ndarray, width: int, height: int) -> str:
    points = (np.clip(outline, -3, 3) + 1) / 2 * (width, height)
    return " ".join(f"{x:.2f},{y:.2f}" for x, y in points)


def encoded(pixels: np.ndarray) -> str:
    """A PNG file as a link."""
    import tensorflow as tf

    image = np.clip(pixels, 0, 255).round().astype(np.uint8)
    return f"data:image/png;base64,{base64.b64encode(tf.io.encode_png(image).numpy()).decode()}"
