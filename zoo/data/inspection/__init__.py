"""The inspection of a data file: its columns, its rows, and the tasks that they fit."""

import pathlib
from collections.abc import Mapping
from typing import Any

from zoo.data.audio.recognition import refuse_recordings
from zoo.data.graphs.recognition import has_graphs
from zoo.data.images.recognition import has_images
from zoo.data.inspection.coco import coco_file, folder_of_images
from zoo.data.inspection.formats import (
    inspect_graphs,
    inspect_images,
    inspect_texts,
)
from zoo.data.inspection.results import Inspection
from zoo.data.inspection.series import inspect_series
from zoo.data.inspection.tables import inspect_table
from zoo.data.readers.files import format_of, paths_of
from zoo.data.readers.tables import is_table
from zoo.data.readers.tag_recognition import has_tags
from zoo.data.series.archives import is_archive
from zoo.data.series.recognition import has_labeled_series
from zoo.data.series.rows import NPZ


def inspect(
    path: str | pathlib.Path,
    validation: str | pathlib.Path | None = None,
    options: Mapping[str, Any] | None = None,
) -> Inspection:
    """Reads a file as the tasks would read it.

    Args:
        path: A file, a pattern or a folder.
        validation: A validation file, to count the rows that are also training rows.
        options: Options of the tasks that name columns, and `encoding`.

    Raises:
        UserError: If the file is missing, or cannot be read.

    Example:
        >>> folder = getfixture("tmp_path")
        >>> _ = (folder / "a.csv").write_text("review,stars\\nfine,5\\ndull,1\\n")
        >>> inspect(folder / "a.csv").task
        'text-classifier'
    """
    first, given = paths_of(path)[0], dict(options or {})
    if given.keys() & {"word_column", "tag_column"} or has_tags(first, given.get("encoding")):
        return inspect_texts(path, given)
    if first.is_dir() and (annotations := coco_file(first)) is not None:
        path = first = annotations
    if "images" not in given and (folder := folder_of_images(first)) is not None:
        given["images"] = folder
    refuse_recordings(first)
    if has_graphs(first):
        return inspect_graphs(path, given)
    if is_archive(path) or (format_of(first) == NPZ and has_labeled_series(first)):
        return inspect_series(path)
    if has_images(first):
        return inspect_images(path, validation)
    if format_of(first) == NPZ:  # whose message names the arrays
        return inspect_graphs(path, given)
    if first.is_dir() or not is_table(first, given.get("encoding")):
        return inspect_texts(path, given)
    return inspect_table(path, validation, given)
