"""The reader of images with captions: from a table and a folder of images, or from memory."""

import dataclasses
import itertools
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from zoo.data.examples import ExampleRow
from zoo.data.images.folders import readable
from zoo.data.images.image_list import Image, ImageList
from zoo.data.images.in_memory import images_in_memory
from zoo.data.images.tables import image_files
from zoo.data.in_memory import Unprepared
from zoo.data.readers.column_names import DEFAULT, ReadOptions
from zoo.data.readers.files import Paths, is_path, name_of, paths_of
from zoo.data.readers.json_rows import texts_of
from zoo.data.readers.read_columns import read_columns
from zoo.data.readers.roles import CAPTIONED
from zoo.data.readers.source import DataSource
from zoo.data_statistics import Statistics, counted
from zoo.errors import UserError

CaptionRow = tuple[Any, str | Iterable[str]]  # a path or an array, and what it shows
CaptionData = Paths | Iterable[CaptionRow]


@dataclasses.dataclass(frozen=True)
class CaptionedImages(Unprepared, ImageList):
    """Images with one or several captions each.

    Args:
        captions: The captions of each image.
    """

    captions: list[list[str]]

    @property
    def answers(self) -> dict[str, list[Any]]:
        return {"captions": self.captions}

    @property
    def all_captions(self) -> list[str]:
        """The captions of all images."""
        return list(itertools.chain(*self.captions))

    def every_text(self) -> list[str]:
        """All captions, to train a tokenizer on."""
        return self.all_captions

    def first_rows(self, count: int) -> list[ExampleRow]:
        """The first images, each with one of its captions, for a report."""
        rows = super().first_rows(count)
        return [row._replace(reference=row.reference[0]) for row in rows]

    def __str__(self) -> str:
        captions = counted(len(self.all_captions), "captions")
        facts = f"{self.path}: {counted(len(self), 'images')} with {captions}; "
        source = dataclasses.replace(self.source, statistics=self.statistics)
        names = [self.name(index) for index in range(len(self))]
        cells = {"image": names, "caption": self.all_captions}
        return source.describe(facts + self.sizes_in_words, cells)


def read_captions(
    data: CaptionData, options: ReadOptions = DEFAULT, images: str | None = None
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
    captions: dict[Path, list[str]] = {}
    sources = [_read_table(table, options, images, captions) for table in paths_of(data)]
    source = dataclasses.replace(
        sources[-1], statistics=sum((each.statistics for each in sources), Statistics())
    )
    return _of_files(path, captions, skip, source)


def _read_table(
    table: Path, options: ReadOptions, images: str | None, known: dict[Path, list[str]]
) -> DataSource:
    """Adds the captions of a table to those of each image."""
    columns = read_columns(table, CAPTIONED, "captions", options)
    names, captions_of = (columns.cells.get(role.name, []) for role in CAPTIONED)
    for file, captions in zip(image_files(names, table, images), captions_of, strict=True):
        known.setdefault(file, []).extend(texts_of(captions) or [captions])
    return columns.source


def _of_rows(path: str, rows: Iterable[CaptionRow], skip: bool) -> CaptionedImages:
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
        of_files: dict[Path, list[str]] = {}
        for image, captions in pairs:
            of_files.setdefault(Path(image), []).extend(captions)
        return _of_files(path, of_files, skip, DataSource())
    loaded = images_in_memory(path, [image for image, _ in pairs], skip)
    every = [captions for _, captions in pairs]
    return _filled(CaptionedImages(path, loaded.images, loaded.shapes, every))


def _of_files(
    path: str, captions: Mapping[Path, list[str]], skip: bool, source: DataSource
) -> CaptionedImages:
    files = list(captions)
    indices, shapes, bad = readable(files, skip)
    kept = [files[index] for index in indices]
    images: list[Image] = [str(file) for file in kept]
    return _filled(
        CaptionedImages(
            path, images, shapes, [captions[file] for file in kept], bad=bad, source=source
        )
    )


def _filled(examples: CaptionedImages) -> CaptionedImages:
    if not len(examples):
        raise UserError(f"{examples.path} has no images with captions")
    return examples
