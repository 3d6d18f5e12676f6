"""The reader of images with labels: from folders, tables, other files, or memory."""

import dataclasses
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from zoo.data.images.arrays import as_pixels, read_npz
from zoo.data.images.folders import class_folders
from zoo.data.images.header import Shape
from zoo.data.images.idx import is_idx, labels_beside, read_idx
from zoo.data.images.image_list import ImageList
from zoo.data.images.in_memory import images_in_memory
from zoo.data.images.tables import read_image_table
from zoo.data.labels import LabelRows
from zoo.data.readers.column_names import DEFAULT, ReadOptions
from zoo.data.readers.files import Paths, format_of, is_path, name_of, paths_of
from zoo.data.readers.roles import LABEL, WEIGHT
from zoo.data.readers.row_weights import row_weights
from zoo.data.readers.tables import TABLE_FORMATS
from zoo.data_statistics import Statistics, counted, with_statistics
from zoo.errors import UserError
from zoo.option_names import option_name

ImageData = Paths | Iterable[tuple[Any, str]]  # images are paths, or what NumPy makes arrays of
NPZ = ".npz"
FORMS = (
    "a folder with a folder of images for each label, a table of image files and labels, an .npz "
    "file, or an idx file such as train-images-idx3-ubyte.gz"
)


@dataclasses.dataclass(frozen=True)
class LabeledImages(LabelRows, ImageList):
    """Images with their labels.

    Args:
        labels: The labels.
        others: Number of files in folders of labels that are no images by their names.
        beside: The files of labels that belong to files of images.
        weights: The weight of each image in the loss; None if all weigh the same.
    """

    labels: list[str]
    others: int = 0
    beside: list[Path] = dataclasses.field(default_factory=list)
    weights: list[float] | None = None

    @property
    def files(self) -> list[Path]:
        """The files of the images, and those of labels beside them."""
        return super().files + self.beside

    @property
    def statistics(self) -> Statistics:
        """Numbers of skipped images and of other files."""
        return super().statistics + Statistics({"files that are no images skipped": self.others})

    def __str__(self) -> str:
        labels = counted(len(set(self.labels)), "labels")
        what = counted(len(self.images), "images")
        return with_statistics(
            f"{self.path}: {what} with {labels}; {self.sizes_in_words}", self.statistics
        )


def read_images(
    data: ImageData, options: ReadOptions = DEFAULT, images: str | None = None
) -> LabeledImages:
    """Reads images with labels.

    Args:
        data: A folder with a folder of images for each label, a table with a column of paths of
            images and one of labels, an `.npz` file, an idx file of images beside that of their
            labels, a list of `pathlib.Path` of these, or a list of (image, label), where an image
            is an array or a path.
        options: How tables are read; `skip_bad_rows` leaves out images that cannot be read.
        images: The folder of the images of a table, by default that of the table.

    Returns:
        The `LabeledImages`.

    Raises:
        DataError: If a row of a table is invalid.
        UserError: If a file is missing or damaged, an image of a table is outside of the folder, or
            there are no images.

    Example:
        >>> import numpy as np
        >>> print(read_images([(np.zeros((5, 7)), "dark"), (np.ones((5, 7)), "light")]))
        data in memory: 2 images with 2 labels; width x height 7x5 (2)
    """
    path = name_of(data)
    if options.names.weight is not None and not _are_tables(data):
        raise UserError(
            f"{option_name('weight_column')} is for tables of images, and {path} is none"
        )
    if is_path(data):
        parts = [_of_path(each, options, images) for each in paths_of(data)]
    else:
        parts = [_of_rows(path, data, options.skip_bad_rows)]
    loaded = [image for part in parts for image in part.images]
    if not loaded:
        raise UserError(f"{path} has no images: expected {FORMS}")
    return LabeledImages(
        path,
        loaded,
        [shape for part in parts for shape in part.shapes],
        [label for part in parts for label in part.labels],
        bad=[file for part in parts for file in part.bad],
        others=sum(part.others for part in parts),
        beside=[file for part in parts for file in part.beside],
        weights=[weight for part in parts for weight in part.weights or []] or None,
    )


def _are_tables(data: ImageData) -> bool:
    return is_path(data) and all(format_of(path) in TABLE_FORMATS for path in paths_of(data))


def _of_path(path: Path, options: ReadOptions, images: str | None) -> LabeledImages:
    if not path.exists():
        raise UserError(f"{path} does not exist")
    if path.is_dir():
        files = sorted(x for x in path.iterdir() if is_idx(x) and "images" in x.name)
        if len(files) > 1:
            names = ", ".join(file.name for file in files)
            raise UserError(f"{path} has several idx files of images ({names}): name one of them")
        if not files:
            return _of_folder(path, options.skip_bad_rows)
        (path,) = files
    if path.suffix == NPZ:
        return _of_pixels(str(path), *read_npz(path))
    if format_of(path) in TABLE_FORMATS:
        roles = [LABEL] if options.names.weight is None else [LABEL, WEIGHT]
        table = read_image_table(path, roles, "images with labels", options, images)
        labels = [label.strip() for label in table.cells[LABEL.name]]
        return LabeledImages(
            str(path),
            table.images,
            table.shapes,
            labels,
            weights=row_weights(table.cells.get(WEIGHT.name), str(path)),
            bad=table.bad,
        )
    if is_idx(path):
        return _of_idx(path)
    raise UserError(f"{path} has an unknown format: expected {FORMS}")


def _of_idx(path: Path) -> LabeledImages:
    """The images of an idx file, and the labels of the one beside it."""
    images, beside = read_idx(path, axes=(3, 4)), labels_beside(path)
    labels = read_idx(beside, axes=(1,))
    if len(images) != len(labels):
        raise UserError(f"{beside} has {len(labels)} labels, and {path} has {len(images)}")
    pixels = [as_pixels(image, str(path)) for image in images]
    images_of_idx = _of_pixels(str(path), pixels, labels.astype(str).tolist())
    return dataclasses.replace(images_of_idx, beside=[beside])


def _of_folder(path: Path, skip: bool) -> LabeledImages:
    """The images of a folder for each label, each of which has some."""
    folders, others = class_folders(path)
    pairs = [(file, label) for label, files in folders.items() for file in files]
    images = _of_pairs(str(path), pairs, skip)
    if lost := sorted(folders.keys() - set(images.labels)):
        raise UserError(f"{path / lost[0]} has no image that can be read")
    return dataclasses.replace(images, others=others)


def _of_pixels(path: str, images: list[Any], labels: list[str]) -> LabeledImages:
    return LabeledImages(path, images, [Shape(*image.shape) for image in images], labels)


def _of_rows(path: str, rows: Iterable[tuple[Any, str]], skip: bool) -> LabeledImages:
    """Images of a program: all arrays, or all paths."""
    try:
        pairs = [(image, str(label)) for image, label in rows]
    except (TypeError, ValueError):
        raise UserError(f"{path}: expected a list of (image, label)") from None
    return _of_pairs(path, pairs, skip)


def _of_pairs(path: str, pairs: Sequence[tuple[Any, str]], skip: bool) -> LabeledImages:
    loaded = images_in_memory(path, [image for image, _ in pairs], skip)
    labels = [pairs[row][1] for row in loaded.rows]
    return LabeledImages(path, loaded.images, loaded.shapes, labels, bad=loaded.bad)
