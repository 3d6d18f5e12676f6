"""Files of labelled texts: TSV, CSV and JSON lines."""

import csv
import dataclasses
import json
import os
import pathlib
from collections.abc import Iterator, Sequence

from zoo.data.lines import read_lines
from zoo.errors import DataError, UserError

Labelled = str | os.PathLike | Sequence[tuple[str, ...]]


@dataclasses.dataclass(frozen=True)
class LabelledTexts:
    """Texts, or pairs of texts, and what they are.

    Args:
        path: where they come from.
        texts: the texts.
        seconds: the second text of each, or None where there is one text only.
        labels: their labels.
        blank_lines: how many lines without text were skipped.
    """

    path: str
    texts: list[str]
    seconds: list[str] | None
    labels: list[str]
    blank_lines: int = 0

    def __str__(self) -> str:
        skipped = f", {self.blank_lines} blank lines skipped" if self.blank_lines else ""
        what = "texts" if self.seconds is None else "pairs of texts"
        return f"{self.path}: {len(self.texts)} {what} with {len(set(self.labels))} labels{skipped}"


def read_labelled(data: Labelled) -> LabelledTexts:
    """Reads a UTF-8 file of labelled texts; its name tells the format.

    `.tsv`: text, tab, label on each line, or text, tab, second text, tab, label; quotation marks
    mean nothing. `.csv`: the same columns, quoted where need be, with a header `text,label` or
    `text,second,label` or without. `.jsonl`: objects with "text", "label" and perhaps "second".

    Args:
        data: the file, or a list of (text, label) or (text, second text, label).

    Raises:
        DataError: at the first row that is none, has no label, or has other columns than the first.
        UserError: if the file is missing, of another format, or holds no row.

    Example:
        >>> read_labelled([("a fine film", "good"), ("a dull one", "bad")]).labels
        ['good', 'bad']
    """
    if not isinstance(data, (str, os.PathLike)):
        rows = [(number, [str(cell) for cell in row]) for number, row in enumerate(data, 1)]
        return _checked("rows in memory", rows, blank=0)
    path = pathlib.Path(data)
    if path.suffix.lower() not in _FORMATS:
        raise UserError(f"{path}: labelled texts are read from files named {', '.join(_FORMATS)}")
    found = list(_FORMATS[path.suffix.lower()](path, list(read_lines(path))))
    rows = [(number, cells) for number, cells in found if cells]
    return _checked(str(path), rows, blank=len(found) - len(rows))


def _checked(path: str, rows: list[tuple[int, list[str]]], blank: int) -> LabelledTexts:
    if not rows:
        raise UserError(f"{path} holds no labelled texts")
    columns = len(rows[0][1])
    for number, cells in rows:
        if len(cells) not in (2, 3):
            raise DataError(path, number, f"expected 2 or 3 columns, found {len(cells)}")
        if len(cells) != columns:
            raise DataError(path, number, f"expected {columns} columns, found {len(cells)}")
        for cell, name in zip(reversed(cells), ("label", "last text", "text"), strict=False):
            if not cell.strip():
                raise DataError(path, number, f"the {name} is empty")
    texts, *seconds, labels = ([cells[i].strip() for _, cells in rows] for i in range(columns))
    return LabelledTexts(path, texts, seconds[0] if seconds else None, labels, blank)


Rows = Iterator[tuple[int, list[str]]]


def _tsv(path: pathlib.Path, lines: list[str]) -> Rows:
    for number, line in enumerate(lines, 1):
        yield number, line.rstrip("\r\n").split("\t") if line.strip() else []


def _csv(path: pathlib.Path, lines: list[str]) -> Rows:
    reader, number = csv.reader(lines, strict=True), 1
    try:
        for cells in reader:
            names = [cell.strip().lower() for cell in cells]
            if names not in (["text", "label"], ["text", "second", "label"]):
                yield number, cells if any(names) else []
            number = reader.line_num + 1  # a quoted cell may hold newlines
    except csv.Error as error:
        raise DataError(path, number, str(error)) from None


def _jsonl(path: pathlib.Path, lines: list[str]) -> Rows:
    for number, line in enumerate(lines, 1):
        if not line.strip():
            yield number, []
            continue
        try:
            row = json.loads(line)
        except ValueError as error:
            raise DataError(path, number, f"not JSON: {error}") from None
        if not isinstance(row, dict) or not {"text", "label"} <= row.keys():
            raise DataError(path, number, 'expected an object with "text" and "label"')
        yield number, [str(row[name]) for name in ("text", "second", "label") if name in row]


_FORMATS = {".tsv": _tsv, ".csv": _csv, ".jsonl": _jsonl}
