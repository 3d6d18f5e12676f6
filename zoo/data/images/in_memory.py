"""Images of a program: arrays, or paths of files."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from zoo.data.images.arrays import as_pixels
from zoo.data.images.folders import readable
from zoo.data.images.header import Shape
from zoo.data.images.image_list import Image
from zoo.data.readers.files import is_path


@dataclass(frozen=True)
class FoundImages:
    """The images that can be read.

    Args:
        rows: Their numbers among those that were given.
        images: The images.
        shapes: Their shapes.
        bad: The other images and why they cannot be read.
    """

    rows: list[int]
    images: list[Image]
    shapes: list[Shape]
    bad: list[tuple[Path, str]]


def images_in_memory(path: str, given: Sequence[Any], skip: bool) -> FoundImages:
    """The images of a program that can be read.

    Args:
        path: Name of the data, for messages.
        given: All arrays, or all paths.
        skip: Whether to leave out files that cannot be read.

    Raises:
        UserError: If an array is no image, or a file cannot be read and is not left out.
    """
    if given and all(map(is_path, given)):
        files = [Path(image) for image in given]
        rows, shapes, bad = readable(files, skip)
        return FoundImages(rows, [str(files[row]) for row in rows], shapes, bad)
    pixels = [as_pixels(image, f"{path}: image {number}") for number, image in enumerate(given, 1)]
    shapes = [Shape(*image.shape) for image in pixels]
    return FoundImages([*range(len(pixels))], [*pixels], shapes, [])
