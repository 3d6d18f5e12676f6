"""Captions in a report: the attention map over the image for each token."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from zoo.attention_map import visible
from zoo.data.images.captions import CaptionedImages
from zoo.report import html
from zoo.report.images import SHOWN, SIDE, encoded
from zoo.tasks.parts import PreviewRow

if TYPE_CHECKING:
    from zoo.tasks.image_captioner import ImageCaptioner

FINE = 4  # how many times finer than the grid a map is drawn
DARK = 0.8  # opacity of what the model does not look at


def section(task: "ImageCaptioner", examples: CaptionedImages, rows: Sequence[PreviewRow]) -> str:
    """The section of the page with the first images of the data.

    Source: Xu et al. 2015, figures 2 and 3.
    """
    drawn = [
        _row(task, number, row.input, row.prediction) for number, row in enumerate(rows[:SHOWN])
    ]
    return html.section(
        "Where it looks",
        "For each token, the image is bright where the attention of the model is: as bright as it "
        "is where the weight is the largest.",
        *drawn,
    )


def _row(task: "ImageCaptioner", number: int, image: Any, caption: str) -> str:
    pixels = task.preprocessor.fitted(image)
    height, width = pixels.shape[:2]
    size = f'width="{width}" height="{height}"'
    photo = f'<image id="photo-{number}" href="{encoded(pixels)}" {size}/>'
    figures = [_figure(photo, pixels.shape, caption)]
    for token, weights in task.attention_by_token(image):
        shade = f'<image href="{encoded(shadow(weights))}" {size} preserveAspectRatio="none"/>'
        figures.append(
            _figure(f'<use href="#photo-{number}"/>{shade}', pixels.shape, visible(token))
        )
    inside = "\n".join(figures)
    return f'<div class="pictures">\n{inside}\n</div>'


def _figure(inside: str, shape: tuple[int, ...], caption: str) -> str:
    height, width = shape[:2]
    high = round(SIDE * height / width)
    return (
        f'<figure class="narrow"><svg viewBox="0 0 {width} {height}" width="{SIDE}" '
        f'height="{high}">{inside}</svg><figcaption>{html.text(caption)}</figcaption></figure>'
    )


def shadow(weights: np.ndarray) -> np.ndarray:
    """Black pixels (h, w, 4), from 0 to 255, that leave visible what the model looks at.

    Args:
        weights: The attention weights of the cells of a grid (rows, columns).
    """
    import tensorflow as tf

    size = [FINE * each for each in weights.shape]
    smooth = tf.image.resize(weights[..., None], size, "bicubic").numpy()[..., 0]
    share = np.clip(smooth / max(weights.max(), 1e-9), 0, 1)
    pixels = np.zeros((*size, 4))
    pixels[..., 3] = 255 * DARK * (1 - share)
    return pixels
