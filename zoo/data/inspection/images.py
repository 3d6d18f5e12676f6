"""The tasks that can be trained on a table of image files, as their readers say."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from zoo.data.images.folders import is_image
from zoo.data.images.label_sets import read_label_set_images
from zoo.data.images.read import read_images
from zoo.data.images.values import read_valued_images
from zoo.data.inspection.fits import Fits
from zoo.data.inspection.label_sets import label_set_options
from zoo.data.inspection.results import ColumnFacts, Fit, Options
from zoo.data.readers.column_names import ReadOptions
from zoo.data.readers.roles import IMAGE
from zoo.data.readers.table import Table
from zoo.data.readers.text_columns import TextColumns
from zoo.errors import UserError

Read = Callable[[Options], Any]


def image_column(table: Table) -> str | None:
    """The column whose cells are all names of image files; None without one, or with several.

    Example:
        >>> from zoo.data.readers.tables import open_table
        >>> path = getfixture("tmp_path") / "a.csv"
        >>> _ = path.write_text("image,label\\na.png,cat\\nb.jpg,dog\\n")
        >>> image_column(open_table(path, "data").sample)
        'image'
    """
    columns = [name for index, name in enumerate(table.names) if _has_images(table.texts(index))]
    return columns[0] if len(columns) == 1 else None


def _has_images(cells: Sequence[str]) -> bool:
    return bool(cells) and all(is_image(Path(cell)) for cell in cells)


def fits_of_images(
    path: str | Path, tables: Sequence[Table], facts: Sequence[ColumnFacts], given: Options
) -> Fits | None:
    """The tasks that fit a table of image files; None for another table.

    Args:
        path: The table.
        tables: Its content.
        facts: The facts about its columns.
        given: Options that name columns.
    """
    name = image_column(tables[0])
    if name is None:
        return None
    usual = name.strip().lower() in IMAGE.names or IMAGE.option in given
    shared = {} if usual else {IMAGE.option: name}
    shared |= {"images": given["images"]} if "images" in given else {}
    fits: list[Fit] = []
    notes: list[str] = []
    reasons: list[str] = []
    for task, read, choices in _attempts(path, tables, facts, given):
        for options in choices:
            chosen = {**shared, **options}
            try:
                examples = read({**given, **chosen})
            except UserError as error:
                reasons.append(f"{task}: {error}")
                continue
            fits.append(Fit(task, chosen | ({"skip_bad_rows": True} if examples.bad else {})))
            notes.append(str(examples))
            break
        if fits and task == "image-classifier":
            break
    if not fits and any(each.kind == "text" and each.name != name for each in facts):
        return None  # the images may be beside the point
    return Fits(fits, TextColumns(str(path)), notes or reasons)


def _attempts(
    path: str | Path, tables: Sequence[Table], facts: Sequence[ColumnFacts], given: Options
) -> Iterator[tuple[str, Read, list[Options]]]:
    """Each task with its reader and the options to try: several labels, one label, values."""

    def label_sets(options: Options) -> Any:
        separator = options.get("label_separator", "|")
        return read_label_set_images(path, _reading(options), separator, options.get("images"))

    def labels(options: Options) -> Any:
        return read_images(path, _reading(options), options.get("images"))

    def values(options: Options) -> Any:
        return read_valued_images(path, _reading(options), options.get("images"))

    yield "image-classifier", label_sets, [*label_set_options(tables, facts, given)]
    yield "image-classifier", labels, _choices("label", facts, given)
    yield "image-regressor", values, _choices("value", facts, given, "number")


def _reading(options: Options) -> ReadOptions:
    return ReadOptions.of({**options, "skip_bad_rows": True})


def _choices(
    role: str, facts: Sequence[ColumnFacts], given: Options, kind: str = "label"
) -> list[Options]:
    """The column that is detected, or else those whose contents fit."""
    option = f"{role}_column"
    columns = [each.name for each in facts if each.kind == kind and each.distinct > 1]
    return [{}] if option in given else [{}, *({option: name} for name in columns)]
