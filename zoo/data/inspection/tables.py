"""Inspects tables: which task reads their rows."""

import pathlib
from collections.abc import Callable
from typing import Any

from zoo.data.audio.facts import has_recordings
from zoo.data.audio.read import read_recordings
from zoo.data.images.captions import read_captions
from zoo.data.images.facts import has_captions
from zoo.data.inspection.facts import ColumnFacts, Inspection, Lenient
from zoo.data.readers.columns import Columns, read_columns
from zoo.data.readers.files import paths_of
from zoo.data.readers.roles import DOCUMENT, LABELED, PAIR, Role
from zoo.data.readers.tables import read_table
from zoo.data.series.facts import has_labeled_series, has_series
from zoo.data.series.labeled import read_labeled_series
from zoo.data.series.read import read_series
from zoo.data_statistics import counted
from zoo.errors import UserError

# Tables that are recognized as a whole: the task, whether a file is one, and its reader.
KINDS: tuple[tuple[str, Callable[[Any], bool], Callable[[Any], Any]], ...] = (
    ("speech-recognizer", has_recordings, read_recordings),
    ("series-classifier", has_labeled_series, read_labeled_series),
    ("series-forecaster", has_series, read_series),
    ("image-captioner", has_captions, read_captions),
)
# Other tables by the columns that they have.
FITS: dict[str, tuple[Role, ...]] = {"text-classifier": LABELED, "text-to-text": PAIR}


def inspect_table(path: str | pathlib.Path, validation: Any) -> Inspection:
    """Inspects a table: a row is a row."""
    first = paths_of(path)[0]
    rows, bad, blank = [], [], 0
    for file in paths_of(path):
        table = read_table(file, "data")
        for row in table.rows:
            if row.reason is not None:
                bad.append(f"{row.line}: {row.reason}")
            elif row.cells:
                rows.append(tuple(row.cells))
            else:
                blank += 1
    cells = [list(column) for column in zip(*rows, strict=True)]
    of_task = next(((task, read) for task, fits, read in KINDS if fits(first)), None)
    task, found, reason = _understood(path, *of_task) if of_task else _fitting(path)
    texts = [text for role, column in found.cells.items() if role != "label" for text in column]
    return Inspection(
        str(path),
        len(rows),
        table.header,
        [ColumnFacts.of(*each) for each in zip(table.names, cells, strict=False)],
        bad,
        blank,
        len(rows) - len(set(rows)),
        None if validation is None else _overlap(found, task, validation),
        task,
        reason or found.source.describe(counted(len(rows), "rows"), found.cells),
        texts,
    )


def _understood(
    path: Any, task: str, read: Callable[[Any], Any]
) -> tuple[str | None, Columns, str]:
    """The task with what it would read, or None and the reason why it cannot."""
    try:
        return task, Columns(str(path)), str(read(path))
    except UserError as error:
        return None, Columns(str(path)), f"{task}: {error}"


def _fitting(path: Any) -> tuple[str | None, Columns, str]:
    """The first task that fits the table and its columns, or None and the reason."""
    reasons = []
    for task, roles in FITS.items():
        try:
            found = read_columns(path, roles, "data", Lenient)
        except UserError as error:
            reasons.append(f"{task}: {error}")
            continue
        if any(found.cells.values()):
            return task, found, ""
    try:
        found = read_columns(path, DOCUMENT, "documents", Lenient)
    except UserError:
        return None, Columns(str(path)), "; ".join(reasons)
    return "causal-lm", found, ""


def _overlap(found: Columns, task: str | None, validation: Any) -> int:
    if task is None or not found.cells:
        return 0
    roles = FITS.get(task, DOCUMENT)
    other = read_columns(validation, roles, "validation data", Lenient)
    names = [name for name in found.cells if name != "label"]
    known = set(zip(*(found.cells[name] for name in names), strict=True))
    return sum(row in known for row in zip(*(other.cells[name] for name in names), strict=True))
