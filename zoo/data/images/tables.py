"""Tables of image files: what the columns beside the files have of each image."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from zoo.data.images.folders import readable
from zoo.data.images.header import Shape
from zoo.data.images.image_list import Image
from zoo.data.readers.column_names import ReadOptions
from zoo.data.readers.files import Paths, name_of, paths_of
from zoo.data.readers.read_columns import read_columns
from zoo.data.readers.roles import IMAGE, Role
from zoo.data.readers.source import DataSource
from zoo.errors import UserError
from zoo.option_names import option_name


@dataclass(frozen=True)
class ImageTable:
    """The images of tables that can be read, and the cells of their rows.

    Args:
        path: Path of the tables, for messages.
        images: The paths of the images.
        shapes: Their shapes.
        cells: The cells of the other roles, by role.
        source: Where they come from.
        bad: The skipped images and why they cannot be read.
    """

    path: str
    images: list[Image]
    shapes: list[Shape]
    cells: dict[str, list[str]]
    source: DataSource
    bad: list[tuple[Path, str]]


def read_image_table(
    data: Paths, roles: Sequence[Role], what: str, options: ReadOptions, images: str | None = None
) -> ImageTable:
    """Reads tables with a column of paths of images.

    Args:
        data: One or several tables.
        roles: The roles of the other columns.
        what: Description of the data, for messages.
        options: How tables are read; `skip_bad_rows` also leaves out images that cannot be read.
        images: The folder of the images, by default that of each table.

    Raises:
        DataError: If a row is invalid.
        UserError: If a file is missing or damaged, an image is outside of the folder, or there are
            no images.
    """
    path, files, source = name_of(data), list[Path](), DataSource()
    cells: dict[str, list[str]] = {role.name: [] for role in roles}
    for table in paths_of(data):
        columns = read_columns(table, [IMAGE, *roles], what, options)
        files += image_files(columns.cells.get(IMAGE.name, []), table, images)
        for role, column in cells.items():
            column += columns.cells.get(role, [])
        source = replace(columns.source, statistics=source.statistics + columns.source.statistics)
    kept, shapes, bad = readable(files, options.skip_bad_rows)
    if not kept:
        reason = f" that can be read: {bad[0][0]}: {bad[0][1]}" if bad else ""
        raise UserError(f"{path} contains no {what}{reason}")
    loaded: list[Image] = [str(files[row]) for row in kept]
    rows = {role: [column[row] for row in kept] for role, column in cells.items()}
    return ImageTable(path, loaded, shapes, rows, source, bad)


def image_files(names: Iterable[str], table: Path, images: str | None) -> list[Path]:
    """The files that a table names, all of them in one folder.

    Args:
        names: Their names.
        table: The table.
        images: The folder; None for that of the table.

    Raises:
        UserError: If there is no such folder, it has none of the files, or one is outside of it.
    """
    folder = table.parent if images is None else Path(images)
    if not folder.is_dir():
        raise UserError(f"{folder} is not a folder of images; name it with {option_name('images')}")
    try:
        files = [image_at(folder, name) for name in names]
    except ValueError as error:
        raise UserError(f"{table}: {error}") from None
    if files and not any(file.exists() for file in files):
        raise UserError(
            f"{table} names images that are not in {folder}, such as {files[0].name}: name their "
            f"folder with {option_name('images')}"
        )
    return files


def image_at(folder: Path, name: str) -> Path:
    """The file of an image that a table names.

    Args:
        folder: The folder of the images.
        name: The name.

    Raises:
        ValueError: If it is outside of the folder.
    """
    file = folder / name
    if "\0" in name or not file.resolve().is_relative_to(folder.resolve()):
        raise ValueError(f"the image {name!r} is outside of the folder {folder}")
    return file
