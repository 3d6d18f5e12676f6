"""Reads images with captions: from a table and a folder of images, or from memory."""

import dataclasses
import itertools
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Self

from zoo.data.examples import ExampleRow
from zoo.data.held_out import split_rows
from zoo.data.images.arrays import as_pixels
from zoo.data.images.folders import readable
from zoo.data.images.header import Shape
from zoo.data.images.image_list import Image, ImageList
from zoo.data.readers.column_names import DEFAULT, ReadOptions
from zoo.data.readers.files import is_path, name_of, paths_of
from zoo.data.readers.json_rows import texts_of
from zoo.data.readers.read_columns import read_columns
from zoo.data.readers.roles import CAPTIONED
from zoo.data.readers.source import Source
from zoo.data_statistics import Statistics, counted
from zoo.errors import UserError
from zoo.option_names import option_name


@dataclasses.dataclass(frozen=True)
class CaptionedImages(ImageList):
    """Images with one or several captions each.

    Args:
        path: Where they come from, for messages.
        images: The images: paths of files, or arrays (H, W, C).
        captions: The captions of each image.
        shapes: The shapes of the images.
        source: Where the captions come from.
        bad: The skipped images and why they cannot be read.
    """

    path: str
    images: list[Image]
    captions: list[list[str]]
    shapes: list[Shape]
    source: Source = dataclasses.field(default_factory=Source)
    bad: list[tuple[Path, str]] = dataclasses.field(default_factory=list)

    @property
    def statistics(self) -> Statistics:
        """Number of skipped rows and images."""
        return self.source.statistics + super().statistics

    @property
    def all_captions(self) -> list[str]:
        """The captions of all images."""
        return list(itertools.chain(*self.captions))

    @property
    def settings(self) -> dict[str, Any]:
        """Nothing: the captions are not prepared."""
        return {}

    @property
    def tokenizer(self) -> None:
        """None: the captions are not prepared."""

    def every_text(self) -> list[str]:
        """All captions, to train a tokenizer on."""
        return self.all_captions

    def first_rows(self, count: int) -> list[ExampleRow]:
        """The first images, each with one of its captions, for a report."""
        names = (Path(self.name(number)).name for number in range(min(count, len(self))))
        captions = (each[0] for each in self.captions)
        return [ExampleRow(*row) for row in zip(names, self.images, captions, strict=False)]

    def split(self, share: float, seed: int = 0) -> tuple[Self, Self]:
        """Splits off validation data: a random fraction of the images."""
        return split_rows(self, ("images", "captions", "shapes"), share, seed)

    def __str__(self) -> str:
        captions = counted(len(self.all_captions), "captions")
        facts = f"{self.path}: {counted(len(self), 'images')} with {captions}; "
        source = dataclasses.replace(self.source, statistics=self.statistics)
        names = [self.name(place) for place in range(len(self))]
        cells = {"image": names, "caption": self.all_captions}
        return source.describe(facts + self.sizes_in_words, cells)


def read_captions(
    data: Any, options: ReadOptions = DEFAULT, images: str | None = None
) -> CaptionedImages:
    """Reads images with captions.

    Args:
        data: One or several tables with a column of paths of images, and one of captions: a text
            or, in JSON, a list of texts. Rows of the same image are joined. Or a list of
            (image, captions), where an image is an array or a path.
        options: How tables are read; `skip_bad_rows` also leaves out images that cannot be read.
        images: The folder of the images of a table, by default that of the table.

    Returns:
        The `CaptionedImages`.

    Raises:
        DataError: If a row is invalid.
        UserError: If a file is missing or damaged, an image is outside of the folder, or there are
            no images.

    Example:
        >>> import numpy as np
        >>> rows = [(np.zeros((5, 7)), "a dark room"), (np.ones((5, 7)), ["a light", "a lamp"])]
        >>> print(read_captions(rows))
        data in memory: 2 images with 3 captions; width x height 7x5 (2)
    """
    path, skip = name_of(data), options.skip_bad_rows
    if not is_path(data):
        return _of_rows(path, data, skip)
    found: dict[Path, list[str]] = {}
    sources = [_read_table(table, options, images, found) for table in paths_of(data)]
    source = dataclasses.replace(
        sources[-1], statistics=sum((each.statistics for each in sources), Statistics())
    )
    return _of_files(path, found, skip, source)


def _read_table(
    table: Path, options: ReadOptions, images: str | None, found: dict[Path, list[str]]
) -> Source:
    """Adds the captions of a table to those of each image."""
    columns = read_columns(table, CAPTIONED, "captions", options)
    folder = table.parent if images is None else Path(images)
    if not folder.is_dir():
        raise UserError(f"{folder} is not a folder of images; name it with {option_name('images')}")
    for image, captions in zip(*columns.cells.values(), strict=True):
        file = _inside(image, folder, table)
        found.setdefault(file, []).extend(texts_of(captions) or [captions])
    return columns.source


def _inside(image: str, folder: Path, table: Path) -> Path:
    """The path of an image, which has to be in the folder."""
    file = folder / image
    if "\0" in image or not file.resolve().is_relative_to(folder.resolve()):
        raise UserError(f"{table}: the image {image!r} is outside of the folder {folder}")
    return file


def _of_rows(path: str, rows: Iterable[Any], skip: bool) -> CaptionedImages:
    """Images of a program: all arrays, or all paths."""
    try:
        pairs = [
            (image, [captions] if isinstance(captions, str) else list(captions))
            for image, captions in rows
        ]
    except (TypeError, ValueError):
        raise UserError(f"{path}: expected a list of (image, captions)") from None
    for number, (_, captions) in enumerate(pairs, 1):
        if not captions or not all(isinstance(x, str) and x.strip() for x in captions):
            raise UserError(f"{path}: image {number} has no captions, or one without text")
    if pairs and all(is_path(image) for image, _ in pairs):
        found: dict[Path, list[str]] = {}
        for image, captions in pairs:
            found.setdefault(Path(image), []).extend(captions)
        return _of_files(path, found, skip, Source())
    images = [
        as_pixels(image, f"{path}: image {number}") for number, (image, _) in enumerate(pairs, 1)
    ]
    shapes = [Shape(*image.shape) for image in images]
    return _with_images(path, images, [captions for _, captions in pairs], shapes)


def _of_files(
    path: str, found: Mapping[Path, list[str]], skip: bool, source: Source
) -> CaptionedImages:
    files = list(found)
    places, shapes, bad = readable(files, skip)
    captions = [found[files[place]] for place in places]
    images = [str(files[place]) for place in places]
    return _with_images(path, images, captions, shapes, source, bad)


def _with_images(path: str, images: Sequence[Any], *others: Any) -> CaptionedImages:
    if not images:
        raise UserError(f"{path} has no images with captions")
    return CaptionedImages(path, list(images), *others)
