"""The reader of images with values: from a table of image files, `.npz` files, or memory."""

import dataclasses
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from zoo.data.images.arrays import read_npz_images
from zoo.data.images.header import Shape
from zoo.data.images.image_list import Image, ImageList
from zoo.data.images.in_memory import images_in_memory
from zoo.data.images.tables import read_image_table
from zoo.data.readers.column_names import DEFAULT, ReadOptions
from zoo.data.readers.files import Paths, format_of, is_path, name_of, paths_of
from zoo.data.readers.value_arrays import values_of_arrays, values_of_rows
from zoo.data.readers.values import cell_values, value_names, value_roles
from zoo.data.valued_rows import ValuedRows
from zoo.data_statistics import counted, with_statistics
from zoo.errors import UserError

NPZ = ".npz"
WHAT = "images with values"

# Files; or rows of an image, which is a path or an array, and its value or values.
ValuedImageData = Paths | Iterable[tuple[Any, ...]]


@dataclasses.dataclass(frozen=True)
class ValuedImages(ValuedRows, ImageList):
    """Images with their values."""

    def __str__(self) -> str:
        facts = f"{self.path}: {counted(len(self), 'images')} with {self.value_facts}"
        return with_statistics(f"{facts}; {self.sizes_in_words}", self.statistics)


def read_valued_images(
    data: ValuedImageData, options: ReadOptions = DEFAULT, images: str | None = None
) -> ValuedImages:
    """Reads images with values.

    Args:
        data: One or several tables with a column of paths of images and columns of numbers; or
            `.npz` files with `images` and `values` (N,) or (N, K); or a list of (image, value),
            with as many values as the options name, where an image is an array or a path.
        options: How tables are read; of the names, `value` may have several with commas between.
            `skip_bad_rows` also leaves out images that cannot be read.
        images: The folder of the images of a table, by default that of the table.

    Raises:
        DataError: If a row is invalid, such as one with a value that is not a finite number.
        UserError: If a file is missing or damaged, an image is outside of the folder, there are no
            images, or the values are labels.

    Example:
        >>> rows = [(np.zeros((5, 7)), 0.5), (np.ones((5, 7)), 2)]
        >>> print(read_valued_images(rows))
        data in memory: 2 images with values: value 0.5 to 2; width x height 7x5 (2)
    """
    path = name_of(data)
    roles, options = value_roles(options)
    names = [role.name for role in roles]
    if not is_path(data):
        given, values = values_of_rows(path, data, names, "image")
        loaded = images_in_memory(path, given, options.skip_bad_rows)
        values = [values[row] for row in loaded.rows]
        return _checked(
            ValuedImages(path, loaded.images, loaded.shapes, values, names, bad=loaded.bad)
        )
    files = paths_of(data)
    if any(format_of(each) == NPZ for each in files):
        named = len(names) > 1 or options.names.value is not None
        return _of_arrays(path, files, names if named else None)
    table = read_image_table(data, roles, WHAT, options, images)
    return ValuedImages(
        path,
        table.images,
        table.shapes,
        cell_values(path, table.cells, roles),
        value_names(roles, table.source.names, table.source.header),
        bad=table.bad,
        source=table.source,
    )


def _of_arrays(path: str, files: list[Path], given: list[str] | None) -> ValuedImages:
    """The images of `.npz` files."""
    loaded: list[Image] = []
    values: list[tuple[float, ...]] = []
    names: list[str] = given or []
    for file in files:
        if format_of(file) != NPZ:
            raise UserError(f"{path}: .npz files cannot be combined with tables")
        pixels, arrays = read_npz_images(file)
        rows, names = values_of_arrays(file, arrays, len(pixels), given)
        loaded, values = loaded + [*pixels], values + rows
    shapes = [Shape(*image.shape) for image in loaded if isinstance(image, np.ndarray)]
    return _checked(ValuedImages(path, loaded, shapes, values, names))


def _checked(examples: ValuedImages) -> ValuedImages:
    if not len(examples):
        raise UserError(f"{examples.path} contains no {WHAT}")
    return examples
