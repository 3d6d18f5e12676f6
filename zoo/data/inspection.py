"""Inspects a data file: its columns, its rows, and the task that they fit."""

import pathlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from zoo.data.audio.facts import has_recordings
from zoo.data.audio.read import read_recordings
from zoo.data.graphs.facts import described, has_graphs, label_cells
from zoo.data.graphs.read import read_graphs
from zoo.data.images.captions import read_captions
from zoo.data.images.facts import has_captions, has_images, image_keys
from zoo.data.images.read import read_images
from zoo.data.readers.columns import ENOUGH, Columns, read_columns
from zoo.data.readers.documents import read_documents
from zoo.data.readers.files import format_of, paths_of
from zoo.data.readers.profile import Profile
from zoo.data.readers.roles import DOCUMENT, LABELED, PAIR, Role
from zoo.data.readers.tables import READERS, read_table
from zoo.data.readers.tags import read_tagged
from zoo.data.series.facts import has_series
from zoo.data.series.read import read_series
from zoo.data_statistics import counted
from zoo.errors import UserError

VALUES = 10  # maximum number of listed values of a column
FITS: dict[str, tuple[Role, ...]] = {"text-classifier": LABELED, "text-to-text": PAIR}


@dataclass(frozen=True)
class ColumnFacts:
    """Facts about a column.

    Args:
        name: Name of the column, or its number.
        kind: "text", "label", "number", "identifier" or "unknown".
        distinct: Number of distinct cells.
        empty: Number of empty cells.
        characters: Mean number of characters.
        longest: Maximum number of characters.
        values: For labels, the most frequent values and their counts.
    """

    name: str
    kind: str
    distinct: int
    empty: int
    characters: float
    longest: int
    values: dict[str, int]

    @classmethod
    def of(cls, name: str, cells: Sequence[str]) -> "ColumnFacts":
        """Computes the facts about a column from its cells.

        Example:
            >>> ColumnFacts.of("age", ["7", "29", ""] * 8).kind
            'label'
        """
        profile = Profile.of(cells)
        kinds = {
            "identifier": profile.is_identifier,
            "label": profile.is_categorical,
            "number": profile.numbers == 1,
            "text": profile.is_text or (0 < profile.rows < ENOUGH),
        }
        kind = next((kind for kind, fits in kinds.items() if fits), "unknown")
        counts = Counter(cell for cell in cells if cell.strip())
        return cls(
            name,
            kind,
            profile.distinct,
            len(cells) - profile.rows,
            profile.characters,
            max(map(len, cells), default=0),
            dict(counts.most_common(VALUES)) if kind == "label" else {},
        )


@dataclass(frozen=True)
class Inspection:
    """Facts about a data file.

    Args:
        path: The file.
        rows: Number of valid rows: rows of a table, documents or sentences.
        header: Whether the file has a header; None if it is not a table.
        columns: The columns of a table.
        bad: The invalid rows, as "line: reason".
        blank: Number of blank lines.
        duplicates: Number of rows that repeat an earlier row.
        overlap: Number of validation rows that are also training rows; None without validation
            data.
        task: Name of the task that fits the data, or None.
        understood: What the task would read, or why no task fits.
        texts: The texts that the task would read.
        has_validation: Whether the data says what to validate with, as graphs may.
    """

    path: str
    rows: int
    header: bool | None
    columns: list[ColumnFacts]
    bad: list[str]
    blank: int
    duplicates: int
    overlap: int | None
    task: str | None
    understood: str
    texts: list[str]
    has_validation: bool = False


def inspect(path: str | pathlib.Path, validation: str | pathlib.Path | None = None) -> Inspection:
    """Reads a file as the tasks would read it.

    Args:
        path: A file, a pattern or a folder.
        validation: A validation file, to count the rows that are also training rows.

    Raises:
        UserError: If the file is missing, or cannot be read.

    Example:
        >>> folder = getfixture("tmp_path")
        >>> _ = (folder / "a.csv").write_text("review,stars\\nfine,5\\ndull,1\\n")
        >>> inspect(folder / "a.csv").task
        'text-classifier'
    """
    first = paths_of(path)[0]
    if has_images(first):
        return _of_images(path, validation)
    if has_graphs(first):
        return _of_graphs(path)
    if first.is_dir() or format_of(first) not in READERS:
        return _of_texts(path)
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
    kinds = (
        (has_recordings, _of_recordings),
        (has_series, _of_series),
        (has_captions, _of_captions),
    )
    of_kind = next((read for fits, read in kinds if fits(first)), _fitting)
    task, found, reason = of_kind(path)
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


class _Lenient:
    """Reader options that skip bad rows, which are reported separately."""

    skip_bad_rows = True


def _fitting(path: Any) -> tuple[str | None, Columns, str]:
    """The first task that fits the table and its columns, or None and the reason."""
    reasons = []
    for task, roles in FITS.items():
        try:
            found = read_columns(path, roles, "data", _Lenient)
        except UserError as error:
            reasons.append(f"{task}: {error}")
            continue
        if any(found.cells.values()):
            return task, found, ""
    try:
        found = read_columns(path, DOCUMENT, "documents", _Lenient)
    except UserError:
        return None, Columns(str(path)), "; ".join(reasons)
    return "causal-lm", found, ""


def _of_recordings(path: Any) -> tuple[str | None, Columns, str]:
    """What a speech recognizer would read, or why it cannot."""
    try:
        return "speech-recognizer", Columns(str(path)), str(read_recordings(path))
    except UserError as error:
        return None, Columns(str(path)), f"speech-recognizer: {error}"


def _of_series(path: Any) -> tuple[str | None, Columns, str]:
    """What a forecaster would read, or why it cannot."""
    try:
        return "series-forecaster", Columns(str(path)), str(read_series(path))
    except UserError as error:
        return None, Columns(str(path)), f"series-forecaster: {error}"


def _of_captions(path: Any) -> tuple[str | None, Columns, str]:
    """What a captioner would read, or why it cannot."""
    try:
        return "image-captioner", Columns(str(path)), str(read_captions(path, _Lenient))
    except UserError as error:
        return "image-captioner", Columns(str(path)), f"image-captioner: {error}"


def _overlap(found: Columns, task: str | None, validation: Any) -> int:
    if task is None or not found.cells:
        return 0
    roles = FITS.get(task, DOCUMENT)
    other = read_columns(validation, roles, "validation data", _Lenient)
    names = [name for name in found.cells if name != "label"]
    known = set(zip(*(found.cells[name] for name in names), strict=True))
    return sum(row in known for row in zip(*(other.cells[name] for name in names), strict=True))


def _of_graphs(path: str | pathlib.Path) -> Inspection:
    """Inspects graphs: a row is a node."""
    graphs = read_graphs(path)
    columns = [ColumnFacts.of(name, cells) for name, cells in label_cells(graphs).items()]
    nodes = sum(map(len, graphs.graphs))
    return Inspection(
        str(path),
        rows=nodes,
        header=None,
        columns=columns,
        bad=[],
        blank=0,
        duplicates=0,
        overlap=None,
        task="node-classifier",
        understood=described(graphs),
        texts=[],
        has_validation=graphs.has_validation,
    )


def _of_images(path: str | pathlib.Path, validation: Any) -> Inspection:
    """Inspects images: a row is an image."""
    found = read_images(paths_of(path), _Lenient)
    bad = [f"{name}: {reason}" for name, reason in found.bad]
    labels = ColumnFacts.of("label", found.labels)
    keys = image_keys(found)
    overlap = None
    if validation is not None:
        known = set(keys)
        others = image_keys(read_images(validation, _Lenient))
        overlap = sum(key in known for key in others)
    rows, doubled = len(keys), len(keys) - len(set(keys))
    facts, task = str(found), "image-classifier"
    return Inspection(str(path), rows, None, [labels], bad, 0, doubled, overlap, task, facts, [])


def _of_texts(path: str | pathlib.Path) -> Inspection:
    """Inspects files other than tables: tagged words, or plain text."""
    try:
        tagged = read_tagged(path)
        texts, task, understood = tagged.inputs["text"], "token-tagger", str(tagged)
        sure = len({tag for tags in tagged.tags for tag in tags}) <= len(texts)
    except (UserError, OSError):
        sure = False
    if not sure:
        documents = read_documents(path)
        texts, task, understood = documents.texts, "causal-lm", str(documents)
    duplicates = len(texts) - len(set(texts))
    return Inspection(
        str(path), len(texts), None, [], [], 0, duplicates, None, task, understood, texts
    )
