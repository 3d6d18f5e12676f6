"""The reader of images with any number of labels: from tables, `.npz` files, or memory."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from zoo.data.images.arrays import LABELS, read_npz_images
from zoo.data.images.header import Shape
from zoo.data.images.image_list import Image, ImageList
from zoo.data.images.in_memory import images_in_memory
from zoo.data.images.tables import read_image_table
from zoo.data.images.values import NPZ
from zoo.data.label_sets import Labels, LabelSetRows, label_sets_of_arrays, label_sets_of_rows
from zoo.data.readers.column_names import DEFAULT, ReadOptions
from zoo.data.readers.files import Paths, format_of, is_path, name_of, paths_of
from zoo.data.readers.label_sets import cell_label_sets, label_set_roles
from zoo.data_statistics import counted, with_statistics
from zoo.errors import UserError

WHAT = "images with labels"


@dataclass(frozen=True)
class LabelSetImages(LabelSetRows, ImageList):
    """Images with any number of labels."""

    def __str__(self) -> str:
        facts = f"{self.path}: {counted(len(self), 'images')} with {self.label_facts}"
        return with_statistics(f"{facts}; {self.sizes_in_words}", self.statistics)


def read_label_set_images(
    data: Paths | Iterable[tuple[Any, Iterable[str]]],
    options: ReadOptions = DEFAULT,
    separator: str = "|",
    images: str | None = None,
) -> LabelSetImages:
    """Reads images with any number of labels.

    Args:
        data: One or several tables with a column of paths of images, and one of labels or several
            of 0 and 1; or `.npz` files with `images`, `labels` (N, C) of 0 and 1 and `classes`
            (C,); or a list of (image, labels), where an image is an array or a path.
        options: How tables are read; of the names, `label` may have several with commas between:
            columns of 0 and 1.
        separator: Separator between the labels of a cell that is no list in JSON.
        images: The folder of the images of a table, by default that of the table.

    Raises:
        DataError: If a row is invalid, such as one with a cell that is neither 0 nor 1.
        UserError: If a file is missing or damaged, an image is outside of the folder, or there are
            no images.

    Example:
        >>> rows = [(np.zeros((5, 7)), ["dark", "small"]), (np.ones((5, 7)), [])]
        >>> print(read_label_set_images(rows))
        data in memory: 2 images with 2 labels, 1 for each; width x height 7x5 (2)
    """
    path = name_of(data)
    if not is_path(data):
        given, sets = label_sets_of_rows(path, data, "image")
        loaded = images_in_memory(path, given, options.skip_bad_rows)
        sets = [sets[row] for row in loaded.rows]
        return _checked(
            LabelSetImages(path, loaded.images, loaded.shapes, label_sets=sets, bad=loaded.bad)
        )
    files = paths_of(data)
    if any(each.is_dir() for each in files):
        raise UserError(f"{path} is a folder; several labels are in a table of image files")
    if any(format_of(each) == NPZ for each in files):
        return _of_arrays(path, files)
    roles, options = label_set_roles(options)
    table = read_image_table(data, roles, WHAT, options, images)
    sets, flags = cell_label_sets(table.cells, roles, separator)
    return LabelSetImages(
        path,
        table.images,
        table.shapes,
        label_sets=sets,
        flags=flags,
        bad=table.bad,
        source=table.source,
    )


def _of_arrays(path: str, files: list[Path]) -> LabelSetImages:
    """The images of `.npz` files."""
    loaded: list[Image] = []
    sets: list[Labels] = []
    every: dict[str, None] = {}
    for file in files:
        if format_of(file) != NPZ:
            raise UserError(f"{path}: .npz files cannot be combined with tables")
        pixels, arrays = read_npz_images(file)
        rows, flags = label_sets_of_arrays(file, arrays, len(pixels), LABELS)
        loaded, sets, every = loaded + [*pixels], sets + rows, every | dict.fromkeys(flags)
    shapes = [Shape(*image.shape) for image in loaded if isinstance(image, np.ndarray)]
    return _checked(LabelSetImages(path, loaded, shapes, label_sets=sets, flags=tuple(every)))


def _checked(examples: LabelSetImages) -> LabelSetImages:
    if not len(examples):
        raise UserError(f"{examples.path} contains no {WHAT}")
    return examples
